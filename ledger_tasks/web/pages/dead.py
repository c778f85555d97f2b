"""Dead letters: grouped by code, looked at, and after a preview replayed or purged."""

import json
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Form, Query, Request, Response, status
from fastapi.responses import RedirectResponse

from ledger_tasks import dead_letters
from ledger_tasks.dead_letters import Settled
from ledger_tasks.errors import DependencyDownError, NotFoundError, UsageError
from ledger_tasks.messaging.publish import BrokerAwayError, NotConfirmedError, Publisher
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.dead_letters import Selection, letter, unsettled
from ledger_tasks.storage.page_lists import PAGE, load_dead_letters
from ledger_tasks.web.pages.access import Looks, Operates
from ledger_tasks.web.pages.needs import Database, PageNumber, Settings
from ledger_tasks.web.pages.render import page as render
from ledger_tasks.web.pages.route import page_router

BODY_SHOWN = 16 * 1024
"""Characters of a body that a page shows."""

router = page_router()
Action = Literal["replay", "purge"]
Code = Annotated[str | None, Query(pattern="^[A-Z_]{1,64}$")]


@router.get("/dead")
def dead(
    request: Request, visitor: Looks, engine: Database, code: Code = None, page: PageNumber = 1, said: str = ""
) -> Response:
    """Show the letters that nobody has settled, as the last look into the queues found them."""
    with transaction(engine) as connection:
        found = load_dead_letters(connection, code, page)
    total = sum(group.letters for group in found.groups if code in {None, group.code})
    values = {"found": found, "code": code, "page": page, "per_page": PAGE, "total": total, "said": said[:200]}
    return render(request, "dead.html", visitor, values)


@router.get("/dead/preview")
def preview(
    request: Request,
    visitor: Looks,
    engine: Database,
    action: Action,
    code: Code = None,
    id: Annotated[UUID | None, Query()] = None,  # noqa: A002 (the word in the address)
) -> Response:
    """Show what an action would do; nothing is done yet."""
    with transaction(engine) as connection:
        letters = unsettled(connection, _selection(code, id))
    if not letters:
        raise NotFoundError("no open dead letter is selected", next_command="ledger dead list")
    would = dead_letters.preview(letters)
    values = {"action": action, "code": code, "id": id, "would": would, "letters": letters[:20]}
    return render(request, "dead_preview.html", visitor, values)


@router.get("/dead/{letter_id}")
def one(request: Request, visitor: Looks, engine: Database, letter_id: UUID) -> Response:
    """Show one letter with its body."""
    with transaction(engine) as connection:
        found = letter(connection, str(letter_id))
    if found is None:
        raise NotFoundError("there is no such dead letter", next_command="ledger dead list")
    body = found[0].body.decode("utf-8", errors="backslashreplace")
    headers = json.dumps(dict(found[0].headers), indent=2, default=str, ensure_ascii=False)
    values: dict[str, object] = {
        "letter": found[0],
        "state": found[1],
        "body": body[:BODY_SHOWN],
        "cut": len(body) > BODY_SHOWN,
    }
    return render(request, "dead_letter.html", visitor, values | {"headers": headers})


@router.post("/dead/{action}")
def act(
    visitor: Operates,  # noqa: ARG001 (only who may operate)
    engine: Database,
    settings: Settings,
    action: Action,
    code: Annotated[str, Form(pattern="^[A-Z_]{0,64}$")] = "",
    id: Annotated[UUID | None, Form()] = None,  # noqa: A002 (as above)
) -> Response:
    """Replay or purge what the preview showed."""
    if settings.rabbitmq_url is None:
        raise UsageError("this server knows no broker", remedy="Set RABBITMQ_URL for `ledger serve`.")
    use_case = {"replay": dead_letters.replay, "purge": dead_letters.purge}[action]
    try:
        with Publisher(settings.rabbitmq_url.get_secret_value()) as publisher:
            done = use_case(engine, publisher, _selection(code or None, id))
    except BrokerAwayError:
        raise DependencyDownError("the broker is away; nothing was done", remedy="Try again when it is back.") from None
    except NotConfirmedError as error:
        raise DependencyDownError(
            f"not every letter was confirmed: {error}", remedy="Do the same again: no letter becomes two works."
        ) from None
    return RedirectResponse(f"/dead?said={_said(action, done)}", status.HTTP_303_SEE_OTHER)


def _selection(code: str | None, letter_id: UUID | None) -> Selection:
    return Selection(ids=[str(letter_id)] if letter_id else (), code=code)


def _said(action: Action, done: Settled) -> str:
    verb = {"replay": "replayed", "purge": "purged"}[action]
    return f"{done.settled} of {done.selected} {verb}"
