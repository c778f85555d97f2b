"""Supervisord of one stack: scripts in, running programs out, spoken to over a private socket."""

import os
import subprocess
import sys
import sysconfig
import time
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from xmlrpc.client import Fault, ServerProxy

from supervisor.xmlrpc import Faults, SupervisorTransport

from ledger_tasks.devstack.home import Home
from ledger_tasks.devstack.leftovers import MARK, end_leftovers
from ledger_tasks.devstack.program import Program

SERVICE_PROGRAMS: Final = {
    "epmd": ("KILL", 5),
    "rabbitmq": ("TERM", 3),  # its queues are closed at once; the management plugin waits 5 s more for nothing
    "postgresql": ("INT", 20),  # a fast shutdown: clients are cut off, data is written
    "nats": ("TERM", 5),
    "s3": ("TERM", 15),
}
"""Program -> stop signal, seconds until it is killed."""

ROLE_PROGRAMS: Final = ("beat", "publisher", "ocr", "collector", "recognition", "serve")

ROLE_STOP_SECONDS: Final = 600
"""A role ends its current delivery first: lock, OCR limit, hold and settlement fit in."""


@dataclass(frozen=True, slots=True)
class Process:
    """`state` as supervisord names it: STOPPED STARTING RUNNING BACKOFF STOPPING EXITED FATAL UNKNOWN."""

    name: str
    state: str
    pid: int
    exit_code: int

    @property
    def is_up(self) -> bool:
        """It runs, as far as the supervisor knows."""
        return self.state in {"STARTING", "RUNNING"}


class Supervisor:
    """One supervisord for one folder; it starts nothing by itself and knows every program a stack can have."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._socket = home.sockets / "supervisor"

    def is_alive(self) -> bool:
        """Say whether the supervisor answers."""
        try:
            self._call("getState")
        except (OSError, Fault):  # a fault: it is shutting down
            return False
        return True

    def launch(self) -> None:
        """Make it run; if it does not, end first what an earlier one left behind."""
        if self.is_alive():
            return
        end_leftovers(self._home)
        configuration = self._home.folder / "supervisord.conf"
        _write_configuration(configuration, self._socket)
        programs = sysconfig.get_path("scripts")
        environment = {"PATH": f"{programs}:/usr/sbin:{os.defpath}", "LANG": "C.UTF-8", MARK: str(self._home.folder)}
        subprocess.run(
            [sys.executable, "-m", "supervisor.supervisord", "-c", configuration],
            check=True,
            env=environment,
            cwd=self._home.folder,
            stdin=subprocess.DEVNULL,
        )

    def start(self, program: Program) -> None:
        """Write the script and run it; a running program whose script has changed is stopped first."""
        script = self._home.script(program.name)
        changed = not script.exists() or script.read_text() != program.script()
        if self.process(program.name).is_up:
            if not changed:
                return
            self.stop(program.name)
        script.touch(mode=0o700)
        script.write_text(program.script())
        self._call("startProcess", program.name, False)

    def stop(self, *names: str) -> None:
        """Ask all at once to end, and return when they have."""
        for name in names:
            try:
                self._call("stopProcess", name, False)
            except Fault as fault:
                if fault.faultCode != Faults.NOT_RUNNING:
                    raise
        while any(self.process(name).state in {"STOPPING", "STARTING", "RUNNING"} for name in names):
            time.sleep(0.05)

    def process(self, name: str) -> Process:
        """Return what the supervisor knows about a program."""
        found = self._call("getProcessInfo", name)
        return Process(name, found["statename"], found["pid"], found["exitstatus"])

    def processes(self) -> dict[str, Process]:
        """Return all programs by name; none when the supervisor is away."""
        if not self.is_alive():
            return {}
        return {
            found["name"]: Process(found["name"], found["statename"], found["pid"], found["exitstatus"])
            for found in self._call("getAllProcessInfo")
        }

    def shutdown(self, *, keep_data: bool) -> None:
        """End roles, then services, then the supervisor with whatever is left; data not kept needs no slow end."""
        up = [name for name, process in self.processes().items() if process.state not in {"STOPPED", "EXITED"}]
        self.stop(*(name for name in up if name in ROLE_PROGRAMS))
        if keep_data:
            self.stop(*(name for name in up if name in SERVICE_PROGRAMS and name != "epmd"))
        end_leftovers(self._home)

    def _call(self, method: str, *arguments: object) -> Any:
        transport = SupervisorTransport(None, None, f"unix://{self._socket}")
        with ServerProxy("http://127.0.0.1", transport=transport) as server:
            return getattr(server.supervisor, method)(*arguments)


def _write_configuration(file: Path, socket: Path) -> None:
    parser = ConfigParser(interpolation=None)
    parser["unix_http_server"] = {"file": str(socket), "chmod": "0700"}
    parser["rpcinterface:supervisor"] = {
        "supervisor.rpcinterface_factory": "supervisor.rpcinterface:make_main_rpcinterface"
    }
    parser["supervisord"] = {"logfile": "%(here)s/log/supervisord.log", "pidfile": "%(here)s/supervisord.pid"}
    if os.geteuid() == 0:
        parser["supervisord"]["user"] = "root"  # said aloud, or it warns
    for name, (signal, seconds) in SERVICE_PROGRAMS.items():
        restart = {"autorestart": "false", "startsecs": "0", "startretries": "0"}
        parser[f"program:{name}"] = _program(name, signal, seconds) | restart
    for name in ROLE_PROGRAMS:
        restart = {"autorestart": "true", "startsecs": "1", "startretries": "20"}
        parser[f"program:{name}"] = _program(name, "TERM", ROLE_STOP_SECONDS) | restart
    with file.open("w") as text:
        parser.write(text)


def _program(name: str, signal: str, seconds: int) -> dict[str, str]:
    return {
        "command": f"/bin/sh '%(here)s/run/{name}'",
        "autostart": "false",
        "stopsignal": signal,
        "stopwaitsecs": str(seconds),
        "stopasgroup": "false",  # a warm shutdown is the main process's own affair
        "killasgroup": "true",
        "redirect_stderr": "true",
        "stdout_logfile": f"%(here)s/log/{name}.log",
        "stdout_logfile_maxbytes": "10MB",
        "stdout_logfile_backups": "1",
    }
