"""How a client proves itself: settings come in, callbacks that answer the server's challenge go out."""

import base64
from typing import Any

from nkeys import from_seed

from ledger_tasks.settings import NatsSettings


def credentials(settings: NatsSettings) -> dict[str, Any]:
    """Return the callbacks, or none for an open server. The seed is in no attribute of a client and on no disk."""
    given = settings.openbao.nats
    if not given.nats_seed.get_secret_value():
        return {}
    return {
        "user_jwt_cb": lambda: given.nats_jwt.get_secret_value().encode(),
        "signature_cb": lambda nonce: _signed(given.nats_seed.get_secret_value(), nonce),
    }


def _signed(seed: str, nonce: str) -> bytes:
    keys = from_seed(seed.encode())
    try:
        return base64.b64encode(keys.sign(nonce.encode()))
    finally:
        keys.wipe()
