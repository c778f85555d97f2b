"""TLS to the broker: a URL comes in, what kombu needs to trust its host goes out; `amqps:` alone checks no name."""

import ssl
from typing import Any, Literal
from urllib.parse import urlsplit


def tls_of(url: str) -> dict[str, Any] | Literal[False]:
    """Return kombu's `ssl` argument. The trusted CA is the system's, or the file that `SSL_CERT_FILE` names."""
    address = urlsplit(url)
    if address.scheme != "amqps":
        return False
    return {"cert_reqs": ssl.CERT_REQUIRED, "server_hostname": address.hostname}
