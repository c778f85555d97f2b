"""Who may see a page and who may press a button: a request comes in, a visitor goes out, or a refusal."""

import hmac
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from fastapi import Depends, Form, Request, status

from ledger_tasks.errors import LedgerError
from ledger_tasks.web.pages.session import COOKIE, Session, Sessions


class LoginRequiredError(Exception):
    """Nobody is logged in; `target` is where the login leads to."""

    def __init__(self, target: str) -> None:
        super().__init__()
        self.target = target


class RefusedError(LedgerError):
    """The person may not do this, or the form is not one of ours."""

    status_code = status.HTTP_403_FORBIDDEN


class TooManyGuessesError(LedgerError):
    """This address sent too many wrong tokens."""

    def __init__(self, seconds: int) -> None:
        super().__init__(
            "too many wrong tokens came from your address", remedy=f"Wait {seconds} s, then log in with the right one."
        )
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person who is logged in, and what the forms of the page must carry."""

    name: str
    may_operate: bool
    form_token: str


def session_of(request: Request) -> Session | None:
    """Return the session of the browser, None when its cookie says nothing that holds."""
    return sessions_of(request).read(request.cookies.get(COOKIE))


def sessions_of(request: Request) -> Sessions:
    """Return the sessions of this application, made from its tokens when a page is first asked for."""
    state = request.app.state
    if not hasattr(state, "sessions"):
        state.sessions = Sessions(state.tokens)
    found: Sessions = state.sessions
    return found


def visitor(request: Request) -> Visitor:
    """Return who looks. Raises LoginRequiredError."""
    session = session_of(request)
    if session is None or session.token is None:
        asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        raise LoginRequiredError(f"/login?next={quote(asked if request.method == 'GET' else '/')}")
    return Visitor(session.token.name, session.may_operate, sessions_of(request).form_token(session))


def operator(visitor: Annotated[Visitor, Depends(visitor)], csrf: Annotated[str, Form()] = "") -> Visitor:
    """Return who changes something with a form of ours. Raises RefusedError."""
    check_form(visitor.form_token, csrf)
    if not visitor.may_operate:
        raise RefusedError(
            "your token may read only", remedy="Log in with a token of scope operate (LEDGER_API_TOKENS)."
        )
    return visitor


def check_form(expected: str, given: str) -> None:
    """Raise RefusedError unless the form was made by us for this session."""
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise RefusedError("this form is out of date", remedy="Go back, reload the page and send it again.")


Looks = Annotated[Visitor, Depends(visitor)]
Operates = Annotated[Visitor, Depends(operator)]
