"""One page request: whatever an endpoint answers or raises becomes HTML with our security headers."""

from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from fastapi import APIRouter, HTTPException, Request, Response, status
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from ledger_tasks.errors import (
    ConflictError,
    DependencyDownError,
    Infrastructure,
    LedgerError,
    NotFoundError,
    UsageError,
)
from ledger_tasks.web.pages.access import LoginRequiredError, RefusedError, TooManyGuessesError
from ledger_tasks.web.pages.render import page

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
"""No script or style stands in a page itself, nothing comes from elsewhere, and nobody frames us."""

_STATUS: Final[dict[type[LedgerError], int]] = {
    RefusedError: status.HTTP_403_FORBIDDEN,
    NotFoundError: status.HTTP_404_NOT_FOUND,
    ConflictError: status.HTTP_409_CONFLICT,
    TooManyGuessesError: status.HTTP_429_TOO_MANY_REQUESTS,
    UsageError: status.HTTP_422_UNPROCESSABLE_CONTENT,
    DependencyDownError: status.HTTP_503_SERVICE_UNAVAILABLE,
}

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class PageRoute(APIRoute):
    """A route whose answers are pages."""

    def get_route_handler(self) -> Handler:
        """Return the handler of this route, with what every page has in common."""
        inner = super().get_route_handler()

        async def handler(request: Request) -> Response:
            response = await _answer(inner, request)
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
            response.headers.setdefault("Cache-Control", "no-store")
            return response

        return handler


def page_router() -> APIRouter:
    """Return a router of pages, which are no part of the described API."""
    return APIRouter(route_class=PageRoute, include_in_schema=False)


async def _answer(inner: Handler, request: Request) -> Response:
    try:
        return await inner(request)
    except LoginRequiredError as needed:
        if "HX-Request" in request.headers:  # a part of a page is asked for: the whole page goes to the login
            return Response(headers={"HX-Redirect": "/login"})
        return RedirectResponse(needed.target, status.HTTP_303_SEE_OTHER)
    except (Infrastructure, LedgerError, RequestValidationError, HTTPException) as error:
        trouble = _trouble(error)
        answer = page(request, "trouble.html", None, trouble._asdict(), trouble.code)
        if isinstance(error, TooManyGuessesError):
            answer.headers["Retry-After"] = str(error.seconds)
        return answer


class _Trouble(NamedTuple):
    code: int
    message: str
    remedy: str = ""
    next_command: str = ""


def _trouble(error: Infrastructure | LedgerError | RequestValidationError | HTTPException) -> _Trouble:
    match error:
        case Infrastructure():
            return _Trouble(status.HTTP_503_SERVICE_UNAVAILABLE, error.detail, "Nothing was done. Try again soon.")
        case LedgerError():
            code = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 500)
            return _Trouble(code, error.message, error.remedy, error.next_command)
        case HTTPException():
            return _Trouble(error.status_code, str(error.detail))
        case RequestValidationError():
            return _Trouble(status.HTTP_422_UNPROCESSABLE_CONTENT, "the address or the form is not understood")
