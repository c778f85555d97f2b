"""What a stack remembers between commands: ports, secrets, and what the last `up` brought; one private JSON file."""

import os
import secrets
from pathlib import Path
from typing import Final

from pydantic import BaseModel, Field

from ledger_tasks.devstack.environment import RoleName
from ledger_tasks.devstack.ports import free_port, is_free
from ledger_tasks.devstack.service import ServiceName

PORTS: Final = {
    "epmd": ("epmd",),
    "rabbitmq": ("amqp", "management", "distribution"),
    "postgresql": ("postgresql",),
    "nats": ("nats",),
    "s3": ("s3", "s3_master", "s3_filer", "s3_volume", "s3_admin"),
    "serve": ("serve",),
}
"""Program -> its ports."""

SECRETS: Final = ("rabbitmq", "ledger", "ledger_publisher", "ledger_collector", "ledger_core", "s3", "api_token")


class State(BaseModel):
    """Everything that must be the same when the stack comes up again."""

    ports: dict[str, int] = {}
    secrets: dict[str, str] = Field(default_factory=dict)
    services: list[ServiceName] = Field(default_factory=list)
    """The services that the last `up` started itself."""
    roles: list[RoleName] = Field(default_factory=list)
    """The roles that the last `up` named."""
    environment: dict[str, str] = Field(default_factory=dict)
    """What the last `up` resolved; `dev env` prints it."""

    @classmethod
    def load(cls, path: Path) -> "State":
        """Read the file, or begin with new secrets and no ports."""
        if path.exists():
            return cls.model_validate_json(path.read_bytes())
        return cls(secrets={name: secrets.token_hex(16) for name in SECRETS})

    def save(self, path: Path) -> None:
        """Write the file so that a crash leaves the old or the new one, readable by the owner alone."""
        fresh = path.with_suffix(".new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(self.model_dump_json(indent=1))
        fresh.replace(path)

    def draw_ports(self, program: str, taken: set[int]) -> None:
        """Keep a program's ports while they are free, draw new ones where something else has taken them."""
        for name in PORTS[program]:
            port = self.ports.get(name)
            if port is None or port in taken or not is_free(port):
                self.ports[name] = free_port(taken | set(self.ports.values()))
