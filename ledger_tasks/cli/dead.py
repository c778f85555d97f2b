"""`ledger dead list|show|replay|purge`: a selection comes in, letters or counts go out."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from sqlalchemy import Engine

from ledger_tasks import dead_letters
from ledger_tasks.cli.choice import Choice, choosing, letter_id
from ledger_tasks.cli.connection import database
from ledger_tasks.cli.output import DryRun, Json, Yes, emit, say, table
from ledger_tasks.dead_letters import Settled
from ledger_tasks.discovery.publishing import trouble_of
from ledger_tasks.errors import DependencyDownError, NotFoundError
from ledger_tasks.explanations import explain
from ledger_tasks.messaging.publish import BrokerAwayError, NotConfirmedError, Publisher
from ledger_tasks.settings import BrokerSettings, load
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.dead_letters import SeenLetter, Selection, letter


@choosing
def list_(choice: Choice, json: Json = False) -> None:
    """List the letters of both dead queues, with code, remedy and next command.

    Looking loses, reorders and uses up nothing.

    Example: `ledger dead list --code PDF_ENCRYPTED --json`
    """
    with _counter() as (engine, publisher):
        letters = dead_letters.listed(engine, publisher, choice.selection())
    if json:
        emit({"dead": [_document(each) for each in letters]})
        return
    rows = [
        (each.id, each.code, each.source_reference or each.message_id, each.detail, each.dead_at) for each in letters
    ]
    table(("Id", "Code", "Receipt or message", "Detail", "Dead since"), rows, f"{len(letters)} dead letters")
    if letters:
        say("next: ledger dead show ID, ledger dead replay --dry-run --all, ledger help CODE")


def show(wanted: Annotated[str, typer.Argument(metavar="ID", help="Id of a letter.")], json: Json = False) -> None:
    """Show one letter in any state: why, what it said, and what to do next.

    Example: `ledger dead show 0b7c1d52-53b0-4f3c-9d59-0d8d4b1c2a11`
    """
    with database() as engine, transaction(engine) as connection:
        found = letter(connection, letter_id(wanted))
    if found is None:
        raise NotFoundError(f"no dead letter has the id {wanted}", next_command="ledger dead list")
    document = _document(found[0]) | {
        "state": found[1],
        "headers": dict(found[0].headers),
        "body": base64.b64encode(found[0].body).decode("ascii"),
        "body_text": found[0].body.decode("utf-8", "backslashreplace")[:2000],
    }
    if json:
        emit(document)
    else:
        table(("", ""), [(name, value) for name, value in document.items() if name != "body"])


@choosing
def replay(choice: Choice, dry_run: DryRun = False, yes: Yes = False, json: Json = False) -> None:
    """Send letters back to work, each with three new attempts.

    What is chosen is a frozen snapshot: letters that die meanwhile are not part of it. Run it again after any trouble.

    Example: `ledger dead replay --code WORKER_LOST --dry-run`
    """
    _settle("replay", choice.deliberate_selection(), dry_run, yes, json)


@choosing
def purge(choice: Choice, dry_run: DryRun = False, yes: Yes = False, json: Json = False) -> None:
    """Take letters out of their queue; body and reason stay in the database.

    The receipt may be queued again by the next scan.

    Example: `ledger dead purge --code EMPTY_FILE --yes`
    """
    _settle("purge", choice.deliberate_selection(), dry_run, yes, json)


def _settle(action: str, selection: Selection, dry_run: bool, yes: bool, json: bool) -> None:
    with _counter() as (engine, publisher):
        found = dead_letters.preview(dead_letters.listed(engine, publisher, selection))
        if not found.selected:
            raise NotFoundError("no dead letter matches", next_command="ledger dead list")
        if dry_run:
            _report(action, found, dry_run, json)
            return
        if not yes:
            typer.confirm(f"{action} {found.selected} letters ({_by_code(found)})?", abort=True, err=True)
        act = dead_letters.replay if action == "replay" else dead_letters.purge
        _report(action, act(engine, publisher, selection), dry_run, json)


def _report(action: str, settled: Settled, dry_run: bool, json: bool) -> None:
    if json:
        emit(
            {
                "action": action,
                "by_code": settled.by_code,
                "dry_run": dry_run,
                "selected": settled.selected,
                "settled": settled.settled,
                "unseen": settled.unseen,
            }
        )
        return
    done = "would be settled" if dry_run else f"settled: {settled.settled}"
    say(f"{action}: {settled.selected} letters ({_by_code(settled)}), {done}")


def _by_code(settled: Settled) -> str:
    return ", ".join(f"{code} {count}" for code, count in sorted(settled.by_code.items()))


def _document(each: SeenLetter) -> dict[str, Any]:
    told = explain(each.code)
    names = {"id": each.id, "ref": each.source_reference or each.source_sha256 or each.id}
    return {
        "id": each.id,
        "family": each.family,
        "code": each.code,
        "detail": each.detail,
        "message_id": each.message_id,
        "source_reference": each.source_reference,
        "source_sha256": each.source_sha256,
        "request_id": each.request_id,
        "dead_at": each.dead_at.isoformat(),
        "remedy": told.remedy,
        "next": told.next.format(**names),
    }


@contextmanager
def _counter() -> Iterator[tuple[Engine, Publisher]]:
    """Open database and broker for one command; trouble of the broker becomes its exit code."""
    url = load(BrokerSettings).rabbitmq_url.get_secret_value()
    with database() as engine, Publisher(url) as publisher:
        try:
            yield engine, publisher
        except BrokerAwayError:
            raise DependencyDownError(
                "RabbitMQ cannot be reached", remedy="Start it or correct RABBITMQ_URL.", next_command="ledger doctor"
            ) from None
        except NotConfirmedError as error:
            trouble = trouble_of(error.fate, len(error.fate.confirmed), rerun="the same command")
            raise trouble or error from None
