"""Who calls: a bearer token comes in, a name goes out, or 401, 403, and 429 after many wrong ones."""

import hmac
import time
from typing import Annotated

from fastapi import Depends, HTTPException, Request, status
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from ledger_tasks.settings.tokens import ApiToken
from ledger_tasks.web.guesses import Guesses

_bearer = HTTPBearer(auto_error=False)
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


def reader(request: Request, credentials: Credentials) -> str:
    """Return the caller's name for any valid token, or answer 401."""
    return _known(request, credentials).name


def operator(request: Request, credentials: Credentials) -> str:
    """Return the caller's name for a token that may operate, or answer 401 or 403."""
    token = _known(request, credentials)
    if token.scope != "operate":
        raise HTTPException(status.HTTP_403_FORBIDDEN, {"code": "FORBIDDEN"})
    return token.name


Reader = Annotated[str, Depends(reader)]
Operator = Annotated[str, Depends(operator)]


def caller(request: Request) -> str:
    """Return the address of who calls; behind a proxy that of the proxy, unless FORWARDED_ALLOW_IPS names it."""
    return request.client.host if request.client else ""


def _known(request: Request, credentials: HTTPAuthorizationCredentials | None) -> ApiToken:
    guesses: Guesses = request.app.state.wrong_calls
    if wait := guesses.wait_seconds(caller(request), time.monotonic()):
        raise HTTPException(
            status.HTTP_429_TOO_MANY_REQUESTS, {"code": "TOO_MANY_WRONG_TOKENS"}, {"Retry-After": str(wait)}
        )
    given = credentials.credentials.encode() if credentials else b""
    tokens: list[ApiToken] = request.app.state.tokens
    # Every token is compared, each in constant time: the answer's delay tells nothing.
    found = [token for token in tokens if hmac.compare_digest(token.secret.get_secret_value().encode(), given)]
    if not found:
        if credentials:
            guesses.wrong(caller(request), time.monotonic())
        raise HTTPException(status.HTTP_401_UNAUTHORIZED, {"code": "UNAUTHORIZED"}, {"WWW-Authenticate": "Bearer"})
    return found[0]
