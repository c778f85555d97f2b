"""Where the servers' programs are: Debian packages for RabbitMQ and PostgreSQL, wheels for the rest."""

import shutil
import sysconfig
from pathlib import Path

from ledger_tasks.errors import ConfigurationError


class MissingServerError(ConfigurationError):
    """A server program is not installed on this machine."""

    def __init__(self, program: str, package: str) -> None:
        super().__init__(
            f"{program} is not installed",
            remedy=f"Install {package}; `make setup` installs everything on Debian and Ubuntu.",
            next_command="make setup",
        )


def rabbitmq_scripts() -> Path:
    """Return the folder of RabbitMQ's own scripts (the ones in /usr/sbin insist on the user rabbitmq)."""
    return _newest("/usr/lib/rabbitmq/lib", "rabbitmq_server-*/sbin", "rabbitmq-server")


def epmd() -> str:
    """Return Erlang's port mapper."""
    found = shutil.which("epmd")
    if found is None:
        raise MissingServerError("epmd", "rabbitmq-server")
    return found


def postgresql_programs() -> Path:
    """Return the folder of initdb and postgres, which Debian keeps off PATH."""
    return _newest("/usr/lib/postgresql", "*/bin", "postgres", package="postgresql")


def wheel_program(name: str, package: str) -> str:
    """Return a program that a wheel brought into this environment."""
    found = Path(sysconfig.get_path("scripts")) / name
    if not found.exists():
        raise MissingServerError(name, f"{package} (extra dev)")
    return str(found)


def _newest(parent: str, pattern: str, program: str, package: str = "rabbitmq-server") -> Path:
    found = [folder for folder in Path(parent).glob(pattern) if (folder / program).exists()]
    if not found:
        raise MissingServerError(program, package)
    return max(found, key=_version)


def _version(folder: Path) -> tuple[int, ...]:
    text = folder.parent.name.rpartition("-")[2]
    return tuple(int(part) for part in text.split(".") if part.isdigit())
