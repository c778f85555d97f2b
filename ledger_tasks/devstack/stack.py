"""The services of one folder: names in, running and answering servers out."""

import shutil
import time
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Final

from filelock import FileLock

from ledger_tasks.devstack.home import Home
from ledger_tasks.devstack.nats import Nats
from ledger_tasks.devstack.postgresql import PostgreSQL
from ledger_tasks.devstack.rabbitmq import RabbitMQ
from ledger_tasks.devstack.seaweedfs import SeaweedFS
from ledger_tasks.devstack.service import NotReadyError, Service, ServiceName
from ledger_tasks.devstack.state import PORTS, State
from ledger_tasks.devstack.supervisor import Supervisor
from ledger_tasks.errors import DependencyDownError

READY_SECONDS: Final = 90
"""RabbitMQ needs 4 to 7 seconds on an idle machine of two cores; a busy one may need ten times that."""

LOG_LINES: Final = 12
BUCKET: Final = "arm-ka"
LOGINS: Final = ("ledger_publisher", "ledger_collector", "ledger_core")


class Stack:
    """A folder, what it remembers, and its supervisor. Nothing runs before `start`."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder.resolve())
        self.state = State.load(self._remembered)
        self.supervisor = Supervisor(self.home)
        self.bucket = BUCKET

    @property
    def rabbitmq(self) -> RabbitMQ:
        """The broker, started or not."""
        port = self.state.ports
        return RabbitMQ(
            self.home.folder / "rabbitmq",
            self.state.secrets["rabbitmq"],
            amqp_port=port["amqp"],
            management_port=port["management"],
            distribution_port=port["distribution"],
            epmd_port=port["epmd"],
        )

    @property
    def postgresql(self) -> PostgreSQL:
        """The database server, started or not."""
        logins = {name: self.state.secrets[name] for name in LOGINS}
        folder = self.home.folder / "postgresql"
        return PostgreSQL(folder, self.state.ports["postgresql"], self.state.secrets["ledger"], logins)

    @property
    def nats(self) -> Nats:
        """The NATS server, started or not."""
        return Nats(self.home.folder / "nats", self.state.ports["nats"])

    @property
    def s3(self) -> SeaweedFS:
        """The object store, started or not."""
        port = self.state.ports
        return SeaweedFS(
            self.home.folder / "s3",
            self.home.sockets,
            self.state.secrets["s3"],
            self.bucket,
            port=port["s3"],
            master_port=port["s3_master"],
            filer_port=port["s3_filer"],
            volume_port=port["s3_volume"],
            admin_port=port["s3_admin"],
        )

    def open(self) -> None:
        """Make the folder, its supervisor, and a port for every program that does not run, free and claimed."""
        self.home.make()
        self.supervisor.launch()
        running = {name for name, process in self.supervisor.processes().items() if process.is_up}
        with FileLock(self.home.sockets.with_name("ports.lock")):
            for program in PORTS.keys() - running:
                self.state.draw_ports(program, self.home.claimed_by_others())
            self.home.claim(self.state.ports.values())
        self.save()

    def launch(self, names: Iterable[ServiceName]) -> list[Service]:
        """Start what is not running and return at once. Raises MissingServerError when a program is not installed."""
        self.open()
        services: list[Service] = [getattr(self, name) for name in names]
        for service in services:
            for program in service.programs():
                self.supervisor.start(program)
        return services

    def wait(self, services: Iterable[Service]) -> None:
        """Return when all do real work. Raises DependencyDownError that names the log to read."""
        for service in services:
            self.wait_for(service.name, service.probe)

    def start(self, *names: ServiceName) -> None:
        """Start services and wait for them."""
        self.wait(self.launch(names))

    def wait_for(self, program: str, probe: Callable[[], None]) -> None:
        """Probe a program of this stack until it answers, ends, or takes too long."""
        deadline = time.monotonic() + READY_SECONDS
        while True:
            try:
                return probe()
            except NotReadyError as error:
                reason = str(error)
            if not self.supervisor.process(program).is_up:
                raise self._failure(program, "ended while it was starting")
            if time.monotonic() > deadline:
                raise self._failure(program, f"does not answer after {READY_SECONDS} s ({reason})")
            time.sleep(0.05)

    def save(self) -> None:
        """Remember ports, secrets and the last `up`."""
        self.state.save(self._remembered)

    def down(self, *, purge: bool = False) -> None:
        """End all that was started; with `purge` remove its data too."""
        self.supervisor.shutdown(keep_data=not purge)
        if self.home.sockets.exists():
            shutil.rmtree(self.home.sockets)
        if purge:
            self.home.purge()

    @cached_property
    def _remembered(self) -> Path:
        return self.home.folder / "stack.json"

    def _failure(self, program: str, what: str) -> DependencyDownError:
        log = self.home.log(program)
        last = log.read_text(errors="replace").splitlines()[-LOG_LINES:] if log.exists() else []
        return DependencyDownError(
            "\n  ".join((f"{program} {what}; its last lines:", *last)),
            remedy=f"Read {log}, then run it again.",
            next_command="ledger dev status",
        )
