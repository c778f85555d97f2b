"""PURE. Things with keys come in; groups come out in which no key occurs twice, each key's order kept."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Thing = TypeVar("Thing")


def rounds(things: Iterable[Thing], key: Callable[[Thing], Iterable[str]]) -> Sequence[Sequence[Thing]]:
    """Put each thing into the first group after every earlier thing that shares one of its keys."""
    groups: list[list[Thing]] = []
    after: dict[str, int] = {}
    for thing in things:
        keys = list(key(thing))
        number = max((after.get(each, 0) for each in keys), default=0)
        if number == len(groups):
            groups.append([])
        groups[number].append(thing)
        after.update(dict.fromkeys(keys, number + 1))
    return groups
