"""Our own processes in a stack: a role in, the program that runs it and the proof that it works out."""

import sysconfig
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from ledger_tasks import health
from ledger_tasks.devstack.environment import LOGINS, RoleName, for_role
from ledger_tasks.devstack.postgresql import DATABASE
from ledger_tasks.devstack.program import Program
from ledger_tasks.devstack.service import NotReadyError
from ledger_tasks.devstack.stack import Stack

PROBE_SECONDS: Final = 2


def role_program(
    stack: Stack, role: RoleName, resolved: Mapping[str, str], caller: Mapping[str, str], roles: Iterable[RoleName]
) -> Program:
    """Return how to run a role beside the others named; its database login has the least grants."""
    environment = for_role(role, resolved, caller)
    environment["LEDGER_HEALTH_FILE"] = str(stack.home.health(role))
    if role in LOGINS and resolved["DATABASE_URL"] == stack.postgresql.url:
        environment["DATABASE_URL"] = stack.postgresql.url_of(DATABASE, LOGINS[role])
    if role == "serve" and not {"beat", "recognition"} <= set(roles):
        environment.setdefault("RECOGNITION_TICKS", "inline")  # nobody else would send and run the ticks
    ledger = str(Path(sysconfig.get_path("scripts")) / "ledger")
    return Program(role, (ledger, *_words(role, resolved)), environment, stack.home.folder)


def probe_role(stack: Stack, role: RoleName) -> None:
    """Return when the role does its work: workers by their health file, pages by answering. Raises NotReadyError."""
    process = stack.supervisor.process(role)
    match role:
        case "beat":
            if process.state != "RUNNING":
                raise NotReadyError(process.state)
        case "serve":
            _get(f"{stack.state.environment['LEDGER_URL']}/livez")
        case _:
            look = health.read(stack.home.health(role), at=time.time())
            if look.pid != process.pid or look.state != "ok":
                raise NotReadyError(f"its health file is {look.state}")


def _words(role: RoleName, resolved: Mapping[str, str]) -> tuple[str, ...]:
    match role:
        case "beat":
            return ("beat",)
        case "serve":
            address = urlsplit(resolved["LEDGER_URL"])
            return ("serve", "--host", address.hostname or "127.0.0.1", "--port", str(address.port or 80))
        case _:
            return ("worker", role)


def _get(url: str) -> None:
    try:
        urllib.request.urlopen(url, timeout=PROBE_SECONDS).close()  # noqa: S310 (our own http address)
    except (OSError, urllib.error.URLError) as error:
        raise NotReadyError(str(error)) from None
