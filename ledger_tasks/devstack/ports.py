"""Free loopback ports, below the range from which the kernel draws the ports of outgoing connections."""

import secrets
import socket
from typing import Final

LOWEST: Final = 15000
HIGHEST: Final = 22000
"""SeaweedFS adds 10000 for gRPC, and outgoing connections begin at 32768: both stay clear of each other."""
GRPC_OFFSET: Final = 10000
TRIES: Final = 200


def free_port(taken: set[int]) -> int:
    """Return a port that nothing listens on, nor on its gRPC twin, and that is not in `taken`."""
    for _ in range(TRIES):
        port = LOWEST + secrets.randbelow(HIGHEST - LOWEST)
        if port not in taken and is_free(port):
            return port
    raise OSError(f"no free loopback port between {LOWEST} and {HIGHEST}")


def is_free(port: int) -> bool:
    """Say whether a server could listen on the port and on its gRPC twin now."""
    return all(_can_bind(each) for each in (port, port + GRPC_OFFSET))


def _can_bind(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
