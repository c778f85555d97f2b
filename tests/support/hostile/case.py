"""What a hostile file or message is: bytes, and the verdicts that are right for them."""

from dataclasses import dataclass, field

READ = "READ"
"""The verdict of a file that is odd and can still be read."""


@dataclass(frozen=True)
class HostileFile:
    """A file; `verdicts` are failure codes, with READ where a reading is right as well."""

    name: str
    content: bytes = field(repr=False)
    verdicts: frozenset[str]


@dataclass(frozen=True)
class HostileMessage:
    """A delivery of the work queue that must end in dead with one of `codes`, byte-identical, and the worker alive."""

    name: str
    body: bytes = field(repr=False)
    codes: frozenset[str]
    content_type: str | None = "application/json"
    headers: dict[str, object] = field(default_factory=dict)


def hostile(name: str, content: bytes, *verdicts: str) -> HostileFile:
    """Make a file."""
    return HostileFile(name, content, frozenset(verdicts))
