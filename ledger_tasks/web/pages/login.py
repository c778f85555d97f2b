"""The door: a form that takes a token, and the way out."""

import time
from typing import Annotated
from urllib.parse import quote

from fastapi import Form, Request, Response, status
from fastapi.responses import RedirectResponse

from ledger_tasks.web.guesses import Guesses
from ledger_tasks.web.pages.access import TooManyGuessesError, check_form, session_of, sessions_of, visitor
from ledger_tasks.web.pages.render import page
from ledger_tasks.web.pages.route import page_router
from ledger_tasks.web.pages.session import COOKIE, LIFETIME_SECONDS, Session
from ledger_tasks.web.security import caller

router = page_router()


@router.get("/login")
def login_form(request: Request, next: str = "/", wrong: bool = False) -> Response:  # noqa: A002 (the word in the address)
    """Ask for a token."""
    sessions = sessions_of(request)
    session = sessions.begin()
    assert session is not None, "a session of nobody can always begin"
    values: dict[str, object] = {"target": _own(next), "wrong": wrong, "open": bool(request.app.state.tokens)}
    answer = page(request, "login.html", None, values | {"form_token": sessions.form_token(session)})
    return _keep(request, answer, session)


@router.post("/login")
def login(
    request: Request,
    token: Annotated[str, Form()],
    csrf: Annotated[str, Form()] = "",
    target: Annotated[str, Form()] = "/",
) -> Response:
    """Begin a session of the token's name, under a new nonce. Raises TooManyGuessesError."""
    sessions, before = sessions_of(request), session_of(request)
    check_form(sessions.form_token(before or Session("")), csrf if before else "")
    guesses: Guesses = request.app.state.wrong_logins
    if wait := guesses.wait_seconds(caller(request), time.monotonic()):
        raise TooManyGuessesError(wait)
    session = sessions.begin(token.strip())
    if session is None:
        guesses.wrong(caller(request), time.monotonic())
        again = f"/login?wrong=true&next={quote(_own(target))}"
        return RedirectResponse(again, status.HTTP_303_SEE_OTHER)
    return _keep(request, RedirectResponse(_own(target), status.HTTP_303_SEE_OTHER), session)


@router.post("/logout")
def logout(request: Request, csrf: Annotated[str, Form()] = "") -> Response:
    """End the session in this browser."""
    check_form(visitor(request).form_token, csrf)
    answer = RedirectResponse("/login", status.HTTP_303_SEE_OTHER)
    answer.delete_cookie(COOKIE)
    return answer


def _keep(request: Request, answer: Response, session: Session) -> Response:
    answer.set_cookie(
        COOKIE,
        sessions_of(request).cookie(session),
        max_age=LIFETIME_SECONDS,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return answer


def _own(target: str) -> str:
    """Return an address of ours: a login must not lead to somebody else's site."""
    return target if target.startswith("/") and not target.startswith(("//", "/\\")) else "/"
