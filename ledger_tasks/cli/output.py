"""What a command shows: data on stdout, messages and progress on stderr, each error with its remedy."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from ledger_tasks.errors import LedgerError

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, change nothing.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait for the outcome in the database; it decides the exit code.")]
Timeout = Annotated[float, typer.Option("--timeout", help="Seconds to wait with --wait (then exit 124).")]


def emit(document: Mapping[str, Any]) -> None:
    """Print one JSON document with sorted keys as one line on stdout."""
    sys.stdout.write(json.dumps(document, sort_keys=True, ensure_ascii=False, default=str) + "\n")
    sys.stdout.flush()


def say(message: str) -> None:
    """Print one message on stderr."""
    sys.stderr.write(message + "\n")


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], title: str = "") -> None:
    """Print a table on stdout; wide when it is not a terminal, so that nothing is cut off."""
    from rich.console import Console  # noqa: PLC0415 (only a command that prints a table pays for Rich)
    from rich.table import Table  # noqa: PLC0415

    console = Console(width=None if sys.stdout.isatty() else 160)
    shown = Table(*columns, title=title or None, title_justify="left", header_style="bold")
    for row in rows:
        shown.add_row(*("" if cell is None else str(cell) for cell in row))
    console.print(shown)


def report(error: LedgerError) -> None:
    """Print an expected failure on stderr: what happened, the remedy, the next command."""
    say(f"error: {error.message}")
    if error.remedy:
        say(f"remedy: {error.remedy}")
    if error.next_command:
        say(f"next: {error.next_command}")
