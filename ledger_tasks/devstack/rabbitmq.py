"""A private RabbitMQ node of the Debian package's scripts, with its own Erlang port mapper and virtual host."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import amqp

from ledger_tasks.devstack import binaries
from ledger_tasks.devstack.program import Program
from ledger_tasks.devstack.service import NotReadyError

USER: Final = "ledger"
VIRTUAL_HOST: Final = "ledger"
PROBE_SECONDS: Final = 2

_CONFIGURATION: Final = """\
listeners.tcp.1 = 127.0.0.1:{amqp}
management.tcp.ip = 127.0.0.1
management.tcp.port = {management}
default_user = {user}
default_pass = {password}
default_vhost = {virtual_host}
log.console = true
log.console.level = info
log.file = false
# One small node: no gigabytes of memory, disk or write-ahead log.
vm_memory_high_watermark.absolute = 1GB
disk_free_limit.absolute = 50MB
raft.wal_max_size_bytes = 64000000
"""


@dataclass(frozen=True, slots=True)
class RabbitMQ:
    """`ports`: amqp, management, distribution, epmd."""

    folder: Path
    password: str = field(repr=False)
    amqp_port: int
    management_port: int
    distribution_port: int
    epmd_port: int
    name: Literal["rabbitmq"] = "rabbitmq"

    @property
    def url(self) -> str:
        """The AMQP address of the stack's own virtual host."""
        return self.url_of(VIRTUAL_HOST)

    @property
    def management_url(self) -> str:
        """The HTTP address of the management pages and API."""
        return f"http://{USER}:{self.password}@127.0.0.1:{self.management_port}"

    def url_of(self, virtual_host: str) -> str:
        """Return the AMQP address of a virtual host."""
        return f"amqp://{USER}:{self.password}@127.0.0.1:{self.amqp_port}/{virtual_host}"

    def programs(self) -> Sequence[Program]:
        """Write the node's configuration; the port mapper is ours too, or it would outlive the node."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        (self.folder / "rabbitmq.conf").write_text(
            _CONFIGURATION.format(
                amqp=self.amqp_port,
                management=self.management_port,
                user=USER,
                password=self.password,
                virtual_host=VIRTUAL_HOST,
            )
        )
        (self.folder / "enabled_plugins").write_text("[rabbitmq_management].\n")
        (self.folder / "rabbitmq-env.conf").write_text("# keeps the machine's own /etc/rabbitmq out\n")
        environment = self.environment()
        mapper = (binaries.epmd(), "-port", str(self.epmd_port), "-address", "127.0.0.1")
        return (
            Program("epmd", mapper, environment, self.folder),
            Program("rabbitmq", self.script("rabbitmq-server"), environment, self.folder),
        )

    def script(self, name: str, *words: str) -> tuple[str, ...]:
        """Return the command that runs one of RabbitMQ's own scripts; it needs `environment()`."""
        return (str(binaries.rabbitmq_scripts() / name), *words)

    def environment(self) -> dict[str, str]:
        """Return what the node and `rabbitmqctl` need to find each other and nothing of the machine's own node."""
        return {
            "HOME": str(self.folder),
            "PATH": os.defpath,
            "LANG": "C.UTF-8",
            "ERL_EPMD_PORT": str(self.epmd_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": "ledger@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.amqp_port),
            "RABBITMQ_DIST_PORT": str(self.distribution_port),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG": "-color",
            "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "rabbitmq-env.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1} +S 2:2",
            "RUNNING_UNDER_SYSTEMD": "true",  # the script then becomes the node, so that signals reach it
        }

    def probe(self) -> None:
        """Open a connection to the virtual host: listeners open at the end of the boot."""
        client = amqp.Connection(
            host=f"127.0.0.1:{self.amqp_port}",
            userid=USER,
            password=self.password,
            virtual_host=VIRTUAL_HOST,
            connect_timeout=PROBE_SECONDS,
            read_timeout=PROBE_SECONDS,
            write_timeout=PROBE_SECONDS,
        )
        try:
            with client:
                pass
        except (OSError, amqp.AMQPError) as error:
            raise NotReadyError(str(error)) from None
