"""A NATS operator of a test: an operator, an account and user JWTs, signed as a server wants them."""

import base64
import binascii
import hashlib
import json
import secrets
import time
from typing import Any, NamedTuple

from nacl.signing import SigningKey

OPERATOR, ACCOUNT, USER = 14 << 3, 0, 20 << 3


def _encoded(prefix: bytes, raw: bytes) -> str:
    body = prefix + raw
    return base64.b32encode(body + binascii.crc_hqx(body, 0).to_bytes(2, "little")).decode().rstrip("=")


class Keys:
    """A key pair of one kind."""

    def __init__(self, kind: int) -> None:
        raw = secrets.token_bytes(32)
        self.signing = SigningKey(raw)
        self.public = _encoded(bytes([kind]), bytes(self.signing.verify_key))
        self.seed = _encoded(bytes([(18 << 3) | (kind >> 5), (kind & 31) << 3]), raw)

    def sign(self, subject: str, name: str, kind: str, expires: float | None = None, **nats: Any) -> str:
        """Return a JWT issued by these keys."""
        claims: dict[str, Any] = {"iat": int(time.time()), "iss": self.public, "name": name, "sub": subject}
        claims |= {"nats": {"type": kind, "version": 2, **nats}}
        if expires is not None:
            claims["exp"] = int(expires)
        hashed = hashlib.new("sha512_256", json.dumps(claims, sort_keys=True).encode()).digest()
        claims["jti"] = base64.b32encode(hashed).decode().rstrip("=")
        head = _part({"typ": "JWT", "alg": "ed25519-nkey"})
        body = f"{head}.{_part(claims)}"
        return f"{body}.{_text(self.signing.sign(body.encode()).signature)}"


class Credentials(NamedTuple):
    """What OPENBAO__NATS__NATS_SEED and NATS_JWT hold."""

    seed: str
    jwt: str

    @property
    def environment(self) -> dict[str, str]:
        return {"OPENBAO__NATS__NATS_SEED": self.seed, "OPENBAO__NATS__NATS_JWT": self.jwt}


class Operator:
    """One operator with one account; `configuration` makes a server trust it."""

    def __init__(self) -> None:
        self.keys, self.account = Keys(OPERATOR), Keys(ACCOUNT)
        unlimited = {
            "subs": -1,
            "conn": -1,
            "leaf": -1,
            "imports": -1,
            "exports": -1,
            "data": -1,
            "payload": -1,
            "wildcards": True,
        }
        self._account_jwt = self.keys.sign(self.account.public, "core", "account", limits=unlimited)
        self._operator_jwt = self.keys.sign(self.keys.public, "operator", "operator")

    @property
    def configuration(self) -> str:
        return (
            f"operator: {self._operator_jwt}\nresolver: MEMORY\n"
            f"resolver_preload: {{ {self.account.public}: {self._account_jwt} }}"
        )

    def user(self, seconds: float | None = None, deny: str | None = None) -> Credentials:
        """Make a user, valid for so many seconds, that may not subscribe to or publish on `deny`."""
        keys = Keys(USER)
        rights = {"sub": {"deny": [deny]}, "pub": {"deny": [deny]}} if deny else {"sub": {}, "pub": {}}
        expires = None if seconds is None else time.time() + seconds
        limits = {"subs": -1, "data": -1, "payload": -1}
        return Credentials(keys.seed, self.account.sign(keys.public, "user", "user", expires, **rights, **limits))


def _part(value: dict[str, Any]) -> str:
    return _text(json.dumps(value, sort_keys=True).encode())


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
