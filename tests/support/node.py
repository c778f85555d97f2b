"""A real RabbitMQ node with the configuration that deploy/ ships: of this machine's package, or of a Debian tree."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import amqp

from ledger_tasks.devstack import binaries
from tests.support.certificates import Certificates

SHIPPED = Path(__file__).parents[2] / "deploy" / "rabbitmq"
READY_SECONDS = 90
USER_FILES = ("rabbitmq.conf", "enabled_plugins")

PLACE = """\
management.tcp.ip = 127.0.0.1
management.tcp.port = {management}
prometheus.tcp.ip = 127.0.0.1
prometheus.tcp.port = {prometheus}
definitions.local.path = {definitions}
vm_memory_high_watermark.absolute = 1GB
disk_free_limit.absolute = 50MB
raft.wal_max_size_bytes = 64000000
"""
"""What a test must change: loopback, free ports, its folder, and the size of the machine. All else is as shipped."""


@dataclass
class Node:
    """`tree` is the root of another Debian, or None for this machine's own package."""

    folder: Path
    tree: Path | None = None
    name: str = "ledger@localhost"
    hosts: Path | None = None
    """An /etc/hosts of its own, for nodes with the long names of a cluster."""
    ports: dict[str, int] = field(default_factory=dict)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.ports['amqp']}"

    def log(self) -> str:
        return (self.outside / "log").read_text(errors="replace")

    @property
    def outside(self) -> Path:
        """The node's folder as this process sees it; inside a tree it has the path `folder`."""
        return self.folder if self.tree is None else self.tree / self.folder.relative_to("/")

    def start(self, definitions: str, tls: Certificates | None = None) -> None:
        """Boot the shipped files with these definitions, and return when the listener is open."""
        self.launch(definitions, tls)
        self.wait()

    def launch(self, definitions: str, tls: Certificates | None = None, more: str = "") -> None:
        """Boot, and return at once; `more` is configuration besides the shipped one."""
        self.outside.mkdir(parents=True)
        for name in ("amqp", "management", "prometheus", "distribution", "epmd"):
            self.ports.setdefault(name, free_port())
        configuration = self.outside / "conf.d"
        configuration.mkdir()
        for name in USER_FILES:
            shutil.copy(SHIPPED / name, self.outside / name)
        (self.outside / "rabbitmq.conf").rename(configuration / "10-shipped.conf")
        (self.outside / "definitions.json").write_text(definitions)
        place = PLACE.format(**self.ports, definitions=self.folder / "definitions.json")
        listener = "listeners.tcp.default"
        if tls is not None:
            listener = "listeners.ssl.default"
            shutil.copy(SHIPPED.parent / "tls" / "30-tls.conf", configuration)
            for name, path in tls.as_in_a_secret(self.outside).items():
                place += f"ssl_options.{name} = {self.folder / path.name}\n"
        (configuration / "90-place.conf").write_text(f"{place}{listener} = {self.ports['amqp']}\n{more}")
        (self.outside / "env.conf").write_text("# keeps the machine's own /etc/rabbitmq out\n")
        self._run([*self._inside(), *self._epmd()])
        self._run([*self._inside(), str(self._scripts() / "rabbitmq-server")])

    def wait(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not _listens(self.ports["amqp"]):
            assert self.processes[-1].poll() is None, self.log()
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.1)

    def connect(self, user: str, password: str, **options: object) -> amqp.Connection:
        made = amqp.Connection(self.address, user, password, virtual_host="ledger", connect_timeout=10, **options)
        made.connect()
        return made

    def ctl(self, *words: str) -> str:
        """Run rabbitmqctl and return what it prints."""
        done = subprocess.run(
            [*self._inside(), str(self._scripts() / "rabbitmqctl"), "--quiet", *words],
            env=self._environment(),
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def stop(self) -> None:
        for process in reversed(self.processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(self.outside, ignore_errors=True)

    def _inside(self) -> list[str]:
        if self.hosts is not None:
            return ["unshare", "--mount", "sh", "-c", f'mount --bind {self.hosts} /etc/hosts && exec "$@"', "sh"]
        return [] if self.tree is None else ["chroot", str(self.tree)]

    def _scripts(self) -> Path:
        if self.tree is None:
            return binaries.rabbitmq_scripts()
        (found,) = (self.tree / "usr/lib/rabbitmq/lib").glob("rabbitmq_server-*/sbin")
        return Path("/") / found.relative_to(self.tree)

    def _epmd(self) -> list[str]:
        program = binaries.epmd() if self.tree is None else "epmd"
        return [program, "-port", str(self.ports["epmd"]), "-address", "127.0.0.1"]

    def _run(self, words: list[str]) -> None:
        with (self.outside / "log").open("ab") as log:
            self.processes.append(
                subprocess.Popen(
                    words,
                    env=self._environment(),
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )

    def _environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder if self.hosts is None else self.hosts.parent),  # where the cookie is
            "RABBITMQ_USE_LONGNAME": "false" if self.hosts is None else "true",
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG": "C.UTF-8",
            "ERL_EPMD_PORT": str(self.ports["epmd"]),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": self.name,
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.ports["amqp"]),
            "RABBITMQ_DIST_PORT": str(self.ports["distribution"]),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.folder / "logs"),
            "RABBITMQ_CONFIG_FILES": str(self.folder / "conf.d"),
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "env.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1} +S 2:2",
            "RUNNING_UNDER_SYSTEMD": "true",
        }


@contextmanager
def node(
    folder: Path, definitions: str, *, tree: Path | None = None, tls: Certificates | None = None
) -> Iterator[Node]:
    """Give a booted node, and leave nothing of it."""
    made = Node(folder, tree)
    try:
        made.start(definitions, tls)
        yield made
    finally:
        made.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
