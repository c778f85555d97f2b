"""PURE. What is exported now and what was exported last come in; what changed since then goes out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ledger_tasks.storage.exports import Exportable, Left


@dataclass(frozen=True, slots=True)
class Change:
    """One booking that is not as the last export told it; `fields`: name -> what it said, what it says.

    `moved`: its date is now outside of these days; `gone`: it is no booking any more.
    """

    business_key: str
    change: Literal["new", "changed", "moved", "gone"]
    fields: Mapping[str, tuple[Any, Any]]


def changes(exported: Sequence[Exportable], left: Sequence[Left]) -> list[Change]:
    """Return the changes: of what is exported in its order, then of what is exported no longer."""
    return [
        *(_change(each) for each in exported if each.said != each.before),
        *(
            Change(each.business_key, "gone", {})
            if each.now is None
            else Change(each.business_key, "moved", {"date": (each.before["date"], each.now)})
            for each in left
        ),
    ]


def _change(each: Exportable) -> Change:
    if each.before is None:
        return Change(each.business_key, "new", {})
    before, said = each.before, each.said
    names = sorted(name for name in before | said if before.get(name) != said.get(name))
    return Change(each.business_key, "changed", {name: (before.get(name), said.get(name)) for name in names})
