"""`ledger accounting export`: a range of days comes in, bookings for a bookkeeping program go out."""

import sys
from dataclasses import asdict
from datetime import date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ledger_tasks.accounting import export as exporting
from ledger_tasks.accounting.export import FORMATS, Exported, Format
from ledger_tasks.cli.connection import database
from ledger_tasks.cli.outfile import replaced
from ledger_tasks.cli.output import DryRun, Json, emit, say
from ledger_tasks.clock import now
from ledger_tasks.errors import ConfigurationError, UsageError

Since = Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="First day of the bookings.")]
Until = Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Last day of the bookings.")]
Output = Annotated[Path | None, typer.Option("--output", help="Write this file; without it stdout.")]


def export(
    since: Since = None,
    until: Until = None,
    form: Annotated[Format, typer.Option("--format", help="What the bookkeeping program reads.")] = "csv",
    output: Output = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Export bookings; the same bookings give the same text, and what changed since their last export is said.

    Each booking carries its business key, the hash of its receipt: import by that key and nothing is booked twice.
    With --json stdout holds the account of the export, and the bookings too unless --output names a file for them.

    Example: `ledger accounting export --since 2026-08-01 --until 2026-08-31 --format beancount --output august.bean`
    """
    if form == "xlsx" and output is None and not (dry_run or as_json):
        raise UsageError("a spreadsheet is no text", remedy="Name its file with --output.")
    if form == "xlsx" and find_spec("openpyxl") is None:
        raise ConfigurationError("openpyxl is not installed", remedy="Install the extra `ledger-tasks[accounting]`.")
    days = _day(since), _day(until)
    with database() as engine:
        if dry_run:
            done = exporting.preview(engine, *days)
        else:
            done = exporting.export(engine, *days, now(), lambda made: _write(made, form, output, as_json=as_json))
    counts = done.counts
    if as_json:
        document = {
            "changes": [asdict(each) for each in done.changes],
            "counts": counts,
            "dry_run": dry_run,
            "format": form,
            "output": output and str(output),
        }
        emit(document if output else document | {"bookings": [each.document() for each in done.bookings]})
        return
    for each in done.changes:
        words = ", ".join(f"{name} {before} -> {after}" for name, (before, after) in each.fields.items())
        say(f"{each.change}: {each.business_key} {words}".rstrip())
    exported = "would be exported" if dry_run else "exported"
    say(f"{len(done.bookings)} {exported}: " + ", ".join(f"{count} {name}" for name, count in counts.items()))


def _write(made: Exported, form: Format, output: Path | None, *, as_json: bool) -> None:
    if output is None and as_json:
        return
    content = FORMATS[form](made.bookings)
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with replaced(output) as file:
        file.write(content)


def _day(moment: datetime | None) -> date | None:
    return moment.date() if moment else None
