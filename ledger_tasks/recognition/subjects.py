"""What the exchange needs at its start: subjects, seed and JWT come in, nothing or a list of wrong keys goes out."""

import base64
import binascii
import json
from datetime import UTC, datetime
from itertools import combinations
from typing import Any, Final

SEED_KEY: Final = "OPENBAO__NATS__NATS_SEED"
JWT_KEY: Final = "OPENBAO__NATS__NATS_JWT"

_SEED_BYTES: Final = 36
"""Two bytes of prefixes, 32 of seed, two of checksum."""

_YEAR_9999: Final = 253_370_764_800
_PREFIX_SEED: Final = 18 << 3
_PREFIX_USER: Final = 20 << 3


def same_subjects(subjects: dict[str, str]) -> list[str]:
    """Name each pair of keys that holds the same subject: a service would hear its own answers."""
    return [
        f"{second} is the same subject as {first}"
        for first, second in combinations(subjects, 2)
        if subjects[first] == subjects[second]
    ]


def wrong_credentials(seed: str, jwt: str, now: datetime) -> list[str]:
    """Say what is wrong with a user seed and its JWT, never quoting them; both empty is right."""
    if not seed and not jwt:
        return []
    if not seed or not jwt:
        return [f"{SEED_KEY if jwt else JWT_KEY} is missing: seed and JWT come together or not at all"]
    try:
        raw = _decoded_seed(seed)
    except ValueError as error:
        return [f"{SEED_KEY}: {error}"]
    try:
        claims = _claims(jwt)
    except ValueError as error:
        return [f"{JWT_KEY}: {error}"]
    return _wrong_claims(claims, _public_key(raw), now)


def expiry(jwt: str) -> datetime | None:
    """Return when a JWT ends; None for one without an end, or for none."""
    ends = _claims(jwt).get("exp") if jwt else None
    return datetime.fromtimestamp(ends, UTC) if ends else None


def _wrong_claims(claims: dict[str, Any], public_key: str, now: datetime) -> list[str]:
    ends = claims.get("exp")
    if claims.get("sub") != public_key:
        return [f"{JWT_KEY}: it was issued for another seed than {SEED_KEY}"]
    if ends is not None and (type(ends) is not int or not 0 <= ends < _YEAR_9999):
        return [f"{JWT_KEY}: its expiry is not a moment"]
    if ends and ends <= now.timestamp():
        return [f"{JWT_KEY}: it expired at {datetime.fromtimestamp(ends, UTC):%Y-%m-%d %H:%M:%S} UTC"]
    return []


def _decoded_seed(seed: str) -> bytes:
    """Return the raw bytes of a user seed with a right checksum; nkeys itself does not check it."""
    try:
        raw = base64.b32decode(seed + "=" * (-len(seed) % 8))
    except binascii.Error:
        raise ValueError("it is not base32") from None
    if len(raw) != _SEED_BYTES:
        raise ValueError("it has the wrong length")
    if raw[0] & 0b1111_1000 != _PREFIX_SEED or (raw[0] & 0b111) << 5 | raw[1] >> 3 != _PREFIX_USER:
        raise ValueError("it is not the seed of a user (SU...)")
    if binascii.crc_hqx(raw[:-2], 0) != int.from_bytes(raw[-2:], "little"):
        raise ValueError("its checksum is wrong: a character was lost or mistyped")
    return raw[2:-2]


def _public_key(seed: bytes) -> str:
    from nacl.signing import SigningKey  # noqa: PLC0415 (only with credentials; comes with nkeys)

    body = bytes([_PREFIX_USER]) + bytes(SigningKey(seed).verify_key)
    checksum = binascii.crc_hqx(body, 0).to_bytes(2, "little")
    return base64.b32encode(body + checksum).decode().rstrip("=")


def _claims(jwt: str) -> dict[str, Any]:
    parts = jwt.split(".")
    if len(parts) != 3:
        raise ValueError("it is not a JWT (three parts between points)")
    try:
        found = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        raise ValueError("its claims cannot be read") from None
    if not isinstance(found, dict):
        raise ValueError("its claims are not an object")  # noqa: TRY004 (the caller turns ValueError into a message)
    return found
