"""What became of one result event, as values."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Applied:
    """The event changed what is known."""


@dataclass(frozen=True, slots=True)
class Superseded:
    """A greater generation (or a success, for a failure) was there before: the event is kept and changes nothing."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """Its request was complete before: the event is kept and changes nothing."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The event id was stored before; `differs` when its content was another."""

    differs: bool


@dataclass(frozen=True, slots=True)
class Rejected:
    """The event breaks a rule of the tables: another attempt cannot succeed."""

    reason: str


Outcome = Applied | Superseded | Recorded | Duplicate | Rejected
