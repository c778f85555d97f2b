"""`ledger receipts review`: receipts that wait for a person are shown one by one, and what is said of them is kept."""

import sys
from typing import Annotated, Final

import typer
from sqlalchemy import Engine

from ledger_tasks.cli.connection import database
from ledger_tasks.cli.output import Json, emit, say, table
from ledger_tasks.cli.receipts_correct import correct_in_words, in_words
from ledger_tasks.cli.receipts_list import document
from ledger_tasks.cli.receipts_show import print_receipt
from ledger_tasks.errors import UsageError
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.receipt_detail import receipt_detail
from ledger_tasks.storage.receipt_list import ListedReceipt, list_receipts

KEYS: Final = "FIELD=VALUE corrects, Enter goes on, a accepts what stands, q ends"


def review(
    limit: Annotated[int, typer.Option(min=1, help="At most so many receipts.")] = 100,
    as_json: Json = False,
) -> None:
    """Go through the receipts that wait for a person, the longest waiting first.

    Without a keyboard, or with --json, they are listed with what is open.

    Example: `ledger receipts review`
    """
    with database() as engine:
        with transaction(engine) as connection:
            waiting = list_receipts(connection, limit=limit, status="review_required", oldest_first=True)
        if as_json:
            emit({"receipts": [document(each) for each in waiting]})
        elif not sys.stdin.isatty():
            rows = [(each.source_sha256[:12], each.source_reference, ", ".join(each.reasons)) for each in waiting]
            table(("Id", "File", "Open"), rows, f"{len(waiting)} receipts wait for a person")
            say("next: ledger receipts correct ID FIELD=VALUE, ledger help REASON")
        else:
            _go_through(engine, waiting)


def _go_through(engine: Engine, waiting: list[ListedReceipt]) -> None:
    for number, receipt in enumerate(waiting, start=1):
        with transaction(engine) as connection:
            print_receipt(receipt, receipt_detail(connection, receipt.source_sha256))
        say(f"{number} of {len(waiting)}. {KEYS}.")
        while answer := typer.prompt(">", default="", show_default=False, err=True).strip():
            if answer == "q":
                return
            if _settled(engine, receipt, answer):
                break
    say("Nothing else waits." if waiting else "Nothing waits for a person.")


def _settled(engine: Engine, receipt: ListedReceipt, answer: str) -> bool:
    """Keep an answer; say whether the receipt is booked now."""
    said = [] if answer == "a" else [answer]
    try:
        stands = correct_in_words(engine, receipt.source_sha256, said, accept=answer == "a")
    except UsageError as error:
        say(f"{error.message}. {error.remedy}")
        return False
    say(in_words(stands))
    return not stands.reasons
