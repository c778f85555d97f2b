"""`ledger receipts correct`: what a person says about a receipt comes in and is kept."""

import re
from collections.abc import Sequence
from typing import Annotated, Final

import typer
from sqlalchemy import Connection, Engine

from contracts.receipts.receipt import SINGLE_FIELDS
from ledger_tasks.cli.actor import actor
from ledger_tasks.cli.connection import database
from ledger_tasks.cli.lookup import Receipt, find
from ledger_tasks.cli.output import DryRun, Json, emit, say
from ledger_tasks.clock import now
from ledger_tasks.collector.checking import ACCEPT
from ledger_tasks.collector.correct import Corrected
from ledger_tasks.collector.correct import correct as keep
from ledger_tasks.errors import UsageError
from ledger_tasks.storage.corrections import BOOKING, COPY, Correction
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.receipt_detail import receipt_detail

Said = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FIELD=VALUE",
        help="`total=9.50`, `item.2.total=4.75`, `booking=new`, `booking=copy:ID`; `tip=`: not said.",
    ),
]
Accept = Annotated[bool, typer.Option("--accept", help="Take merchant, date, currency and total as they stand.")]

_ITEM: Final = re.compile(r"item\.([1-9][0-9]{0,5})\.([a-z_]+)")


def correct(
    receipt: Receipt, said: Said = None, accept: Accept = False, dry_run: DryRun = False, as_json: Json = False
) -> None:
    """Correct what was read of a receipt; every later reading is corrected in the same way.

    `booking=copy:ID` sets it aside as a copy of receipt ID: nothing is booked, the file stays. `booking=` takes that
    back.

    Example: `ledger receipts correct 5f3a9c1e total=1007.50 transaction_date=2026-08-14 --accept`
    """
    with database() as engine:
        with transaction(engine) as connection:
            source = find(connection, receipt)
        stands = correct_in_words(engine, source, said or [], accept=accept, dry_run=dry_run)
    if as_json:
        emit({"reasons": list(stands.reasons), "source_sha256": source, "status": stands.status})
    else:
        say(("would be " if dry_run else "") + in_words(stands))


def in_words(stands: Corrected) -> str:
    """Say where a receipt stands."""
    if stands.copy_of:
        return f"{stands.status}: a copy of {stands.copy_of[:12]}, not booked"
    return f"{stands.status}: {', '.join(stands.reasons) or 'booked'}"


def correct_in_words(
    engine: Engine, source: str, said: Sequence[str], *, accept: bool, dry_run: bool = False
) -> Corrected:
    """Keep corrections as people write them. Raises UsageError for a word that cannot be one."""
    if not said and not accept:
        raise UsageError("nothing to correct", remedy=f"Write FIELD=VALUE. Fields: {', '.join(SINGLE_FIELDS)}.")
    with transaction(engine) as connection:
        words = [_correction(connection, source, each) for each in said]
    return keep(engine, source, [*words, ACCEPT] if accept else words, now(), actor(), dry_run=dry_run)


def _correction(connection: Connection, source: str, word: str) -> Correction:
    field, sign, value = word.partition("=")
    if not sign:
        raise UsageError(f"{word} is not of the form FIELD=VALUE")
    if field == BOOKING and value.startswith(COPY):
        return Correction(BOOKING, f"{COPY}{find(connection, value.removeprefix(COPY))}")
    part = _ITEM.fullmatch(field)
    if part is None:
        return Correction(field, value)
    evidence = receipt_detail(connection, source).evidence
    items = evidence["items"] if evidence else []
    if int(part[1]) > len(items):
        raise UsageError(f"the receipt has {len(items)} items", next_command=f"ledger receipts show {source}")
    return Correction(part[2], value, item=items[int(part[1]) - 1]["key"])
