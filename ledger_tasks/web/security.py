"""Who calls: a bearer token comes in, a name goes out, or 401 and 403."""

import hmac
from typing import Annotated

from fastapi import Depends, HTTPException, Request, status
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from ledger_tasks.settings.tokens import ApiToken

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


def _known(request: Request, credentials: HTTPAuthorizationCredentials | None) -> ApiToken:
    given = credentials.credentials.encode() if credentials else b""
    tokens: list[ApiToken] = request.app.state.tokens
    # Every token is compared, each in constant time: the answer's delay tells nothing.
    found = [token for token in tokens if hmac.compare_digest(token.secret.get_secret_value().encode(), given)]
    if not found:
        raise HTTPException(status.HTTP_401_UNAUTHORIZED, {"code": "UNAUTHORIZED"}, {"WWW-Authenticate": "Bearer"})
    return found[0]
