"""`ledger receipts publish` and `ledger receipts process`: find receipts and queue what needs work."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, Protocol

import typer

from ledger_tasks.cli.output import Json, emit, say
from ledger_tasks.discovery.scan import Locked
from ledger_tasks.discovery.start import run_scan
from ledger_tasks.discovery.summary import Summary
from ledger_tasks.errors import UsageError
from ledger_tasks.settings import PublisherSettings, load

PATIENCE_SECONDS: Final = 30.0
"""How long a command waits for files that are still being written; the clock of beat does not wait at all."""

Root = Annotated[Path | None, typer.Argument(help="The receipt root; RECEIPT_SOURCE_ROOT by default.")]
IgnoreLeases = Annotated[
    bool, typer.Option("--ignore-leases", help="Publish also what is already queued (duplicates are harmless).")
]


def publish(root: Root = None, ignore_leases: IgnoreLeases = False, as_json: Json = False) -> None:
    """Find receipts and queue those that need work; every publication is confirmed by the broker.

    Prints one line of JSON. Receipts that are already queued, done or given up are counted, not published.

    Example: `ledger receipts publish`
    """
    _ = as_json  # one line of JSON is all that this command ever prints
    settings = load(PublisherSettings)
    place = existing_folder(root or settings.receipt_source_root)
    with counting() as on_progress:
        result = run_scan(
            settings,
            place,
            patience=PATIENCE_SECONDS,
            ignore_leases=ignore_leases,
            on_invalid=lambda reference, reason: say(f"invalid: {ascii(reference)[1:-1]}: {reason}"),
            on_progress=on_progress,
        )
    if isinstance(result, Locked):
        say("locked: another scan is running; it finds the same receipts")
        emit({"status": "locked"})
        return
    if result.trouble is None or result.summary.published:
        emit(result.summary.document())
    if result.trouble is not None:
        raise result.trouble


def existing_folder(path: Path) -> Path:
    """Return the folder of that path as an absolute one. Raises UsageError when there is none."""
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder", remedy="Name the receipt root, or set RECEIPT_SOURCE_ROOT.")
    return path.resolve()


class OnProgress(Protocol):
    """Called with the numbers so far."""

    def __call__(self, summary: Summary, /) -> None:
        """Show them."""


@contextmanager
def counting() -> Iterator[OnProgress]:
    """Show the numbers of a running scan on stderr while it is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _summary: None
        return
    from rich.console import Console  # noqa: PLC0415 (only a terminal pays for Rich)

    with Console(stderr=True).status("Looking for receipts ...") as status:
        yield lambda summary: status.update(
            f"{summary.discovered} receipts so far, {summary.published} published, {summary.invalid} invalid"
        )
