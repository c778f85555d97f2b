"""`ledger receipts correct`: what a person says about a receipt comes in and is kept."""

import re
from collections.abc import Sequence
from typing import Annotated, Final

import typer
from sqlalchemy import Connection, Engine

from contracts.receipts.receipt import SINGLE_FIELDS
from ledger_tasks.cli.connection import database
from ledger_tasks.cli.lookup import Receipt, find
from ledger_tasks.cli.output import Json, emit, say
from ledger_tasks.clock import now
from ledger_tasks.collector.correct import ACCEPT, Corrected
from ledger_tasks.collector.correct import correct as keep
from ledger_tasks.errors import UsageError
from ledger_tasks.storage.corrections import Correction
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.receipt_detail import receipt_detail

Said = Annotated[
    list[str] | None,
    typer.Argument(metavar="FIELD=VALUE", help="`total=9.50`, `item.2.total=4.75`, `booking=new`; `tip=`: not said."),
]
Accept = Annotated[bool, typer.Option("--accept", help="Take merchant, date, currency and total as they stand.")]

_ITEM: Final = re.compile(r"item\.([1-9][0-9]{0,5})\.([a-z_]+)")


def correct(receipt: Receipt, said: Said = None, accept: Accept = False, as_json: Json = False) -> None:
    """Correct what was read of a receipt; every later reading is corrected in the same way.

    Example: `ledger receipts correct 5f3a9c1e total=1007.50 transaction_date=2026-08-14 --accept`
    """
    with database() as engine:
        with transaction(engine) as connection:
            source = find(connection, receipt)
        stands = correct_in_words(engine, source, said or [], accept=accept)
    if as_json:
        emit({"reasons": list(stands.reasons), "source_sha256": source, "status": stands.status})
    else:
        say(f"{stands.status}: {', '.join(stands.reasons) or 'booked'}")


def correct_in_words(engine: Engine, source: str, said: Sequence[str], *, accept: bool) -> Corrected:
    """Keep corrections as people write them. Raises UsageError for a word that cannot be one."""
    if not said and not accept:
        raise UsageError("nothing to correct", remedy=f"Write FIELD=VALUE. Fields: {', '.join(SINGLE_FIELDS)}.")
    with transaction(engine) as connection:
        words = [_correction(connection, source, each) for each in said]
    return keep(engine, source, [*words, ACCEPT] if accept else words, now())


def _correction(connection: Connection, source: str, word: str) -> Correction:
    field, sign, value = word.partition("=")
    if not sign:
        raise UsageError(f"{word} is not of the form FIELD=VALUE")
    part = _ITEM.fullmatch(field)
    if part is None:
        return Correction(field, value)
    evidence = receipt_detail(connection, source).evidence
    items = evidence["items"] if evidence else []
    if int(part[1]) > len(items):
        raise UsageError(f"the receipt has {len(items)} items", next_command=f"ledger receipts show {source}")
    return Correction(part[2], value, item=items[int(part[1]) - 1]["key"])
