"""PURE. Who is at the browser: tokens and a signed cookie come in, a session goes out; and the cookie for a session."""

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from itsdangerous import BadSignature, URLSafeTimedSerializer

from ledger_tasks.settings.tokens import ApiToken

COOKIE: Final = "ledger_session"
LIFETIME_SECONDS: Final = 12 * 3600
"""A working day: after it the token is asked for again."""

_SALT: Final = "ledger.session.v1"


@dataclass(frozen=True, slots=True)
class Session:
    """One browser. `token` is None before the login; `nonce` is what the forms of this session must repeat."""

    nonce: str
    token: ApiToken | None = None

    @property
    def may_operate(self) -> bool:
        """Say whether this person may change anything."""
        return self.token is not None and self.token.scope == "operate"


class Sessions:
    """Cookies signed with what all tokens together are, so that every replica reads them and no secret is added.

    A token that was taken away ends its sessions, and so does any other change of LEDGER_API_TOKENS.
    """

    def __init__(self, tokens: Sequence[ApiToken]) -> None:
        self._tokens = {_fingerprint(token): token for token in tokens}
        self._key = sha256("\n".join(sorted(self._tokens)).encode()).digest() if tokens else secrets.token_bytes(32)
        self._signer = URLSafeTimedSerializer(self._key, salt=_SALT)

    def read(self, cookie: str | None) -> Session | None:
        """Return the session of a cookie, None for one that is forged, old, or of a token that is gone."""
        if cookie is None:
            return None
        try:
            nonce, fingerprint = self._signer.loads(cookie, max_age=LIFETIME_SECONDS)
        except (BadSignature, ValueError, TypeError):
            return None
        if not fingerprint:
            return Session(nonce)
        token = self._tokens.get(fingerprint)
        return Session(nonce, token) if token else None

    def cookie(self, session: Session) -> str:
        """Return the cookie of a session."""
        fingerprint = _fingerprint(session.token) if session.token else ""
        signed: str = self._signer.dumps([session.nonce, fingerprint])
        return signed

    def begin(self, secret: str | None = None) -> Session | None:
        """Return a fresh session: nobody's without a secret, else that of the token; None for a wrong one."""
        nonce = secrets.token_urlsafe(24)
        if secret is None:
            return Session(nonce)
        given = secret.encode()
        # Every token is compared, each in constant time: the answer's delay tells nothing.
        found = [
            token
            for token in self._tokens.values()
            if hmac.compare_digest(token.secret.get_secret_value().encode(), given)
        ]
        return Session(nonce, found[0]) if found else None

    def form_token(self, session: Session) -> str:
        """Return what every form of this session carries: another site can neither read nor guess it."""
        return hmac.digest(self._key, f"form:{session.nonce}".encode(), "sha256").hex()


def _fingerprint(token: ApiToken) -> str:
    return sha256(f"{token.name}:{token.scope}:{token.secret.get_secret_value()}".encode()).hexdigest()
