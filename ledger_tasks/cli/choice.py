"""`--id --code --since --until --all`: the options of a command come in, the selection of dead letters goes out."""

from collections.abc import Callable
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from functools import wraps
from inspect import signature
from typing import Annotated, Any
from uuid import UUID

import typer

from ledger_tasks.errors import UsageError
from ledger_tasks.storage.dead_letters import Selection


@dataclass(frozen=True, slots=True)
class Choice:
    """The letters that are meant: each field is an option, in the order of --help."""

    ids: Annotated[list[str] | None, typer.Option("--id", help="Id of a letter; may be given again.")] = None
    code: Annotated[str | None, typer.Option("--code", help="Only letters of this code.")] = None
    since: Annotated[datetime | None, typer.Option("--since", help="Only letters dead since then (UTC).")] = None
    until: Annotated[datetime | None, typer.Option("--until", help="Only letters dead before then (UTC).")] = None
    everything: Annotated[bool, typer.Option("--all", help="Every letter.")] = False

    def selection(self) -> Selection:
        """Return what was chosen; without any option everything. Raises UsageError for a value that cannot be one."""
        if self.code == "":  # an unset variable of a shell must not widen what is purged
            raise UsageError("--code is empty", remedy="Name a code, or leave the option out.")
        return Selection(tuple(map(letter_id, self.ids or ())), self.code, _utc(self.since), _utc(self.until))

    def deliberate_selection(self) -> Selection:
        """Return what was chosen by at least one option. Raises UsageError."""
        if not any(astuple(self)):
            raise UsageError("say which letters", remedy="Use --id, --code, --since, --until, or --all.")
        return self.selection()


def choosing(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options; it takes them as one Choice, its first argument."""

    @wraps(command)
    def chosen(**given: Any) -> None:
        command(Choice(**{each.name: given.pop(each.name) for each in fields(Choice)}), **given)

    own = list(signature(command).parameters.values())[1:]
    everything = [*signature(Choice).parameters.values(), *own]
    chosen.__signature__ = signature(command).replace(parameters=everything)  # type: ignore[attr-defined] # Typer reads it
    return chosen


def letter_id(text: str) -> str:
    """Return the id of a letter in its canonical form. Raises UsageError."""
    try:
        return str(UUID(text))
    except ValueError:
        raise UsageError(f"{text} is no id of a dead letter", next_command="ledger dead list") from None


def _utc(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment else None
