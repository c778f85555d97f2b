"""What of a stack works right now: its last `up` in, one line per service and role out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from ledger_tasks.devstack.environment import ADDRESSES
from ledger_tasks.devstack.roles import probe_role
from ledger_tasks.devstack.service import NotReadyError
from ledger_tasks.devstack.stack import Stack
from ledger_tasks.devstack.supervisor import Process


@dataclass(frozen=True, slots=True)
class Line:
    """`state`: ok, given (the caller's own service, not looked at), or what is wrong. No address holds a password."""

    name: str
    state: str
    pid: int | None
    address: str
    log: Path | None

    @property
    def is_fine(self) -> bool:
        """Nothing is to be done about it."""
        return self.state in {"ok", "given"}


def status(stack: Stack) -> tuple[list[Line], list[Line]]:
    """Probe everything that the last `up` brought: services, roles."""
    processes = stack.supervisor.processes()
    resolved = stack.state.environment
    services = [
        _line(stack, service, processes, partial(getattr(stack, service).probe), resolved[ADDRESSES[service]])
        if service in stack.state.services
        else Line(service, "given", None, _without_password(resolved[ADDRESSES[service]]), None)
        for service in ADDRESSES
        if ADDRESSES[service] in resolved
    ]
    page = {"serve": resolved.get("LEDGER_URL", "")}
    roles = [
        _line(stack, role, processes, partial(probe_role, stack, role), page.get(role, ""))
        for role in stack.state.roles
    ]
    return services, roles


def _line(stack: Stack, name: str, processes: dict[str, Process], probe: Callable[[], None], address: str) -> Line:
    process = processes.get(name)
    state = "down"
    if process is not None and process.is_up:
        try:
            probe()
            state = "ok"
        except NotReadyError as error:
            state = f"not ready: {error}"
    pid = process.pid if process is not None and process.is_up else None
    return Line(name, state, pid, _without_password(address), stack.home.log(name))


def _without_password(address: str) -> str:
    """Return scheme, host, port and path."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
