"""A private PostgreSQL server of the Debian binaries; as root it runs as the user postgres, wherever its folder is."""

import os
import pwd
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import psycopg
from psycopg import sql

from ledger_tasks.devstack import binaries
from ledger_tasks.devstack.program import DATA_DESCRIPTOR, Program
from ledger_tasks.devstack.service import NotReadyError
from ledger_tasks.errors import DependencyDownError

OWNER: Final = "ledger"
DATABASE: Final = "ledger"
SYSTEM_USER: Final = "postgres"
PROBE_SECONDS: Final = 2
CONNECTIONS: Final = 200
"""Tests open one small pool per role and database."""


@dataclass(frozen=True, slots=True)
class PostgreSQL:
    """The owner is the superuser of this private server; `logins` are the database roles' passwords."""

    folder: Path
    port: int
    password: str = field(repr=False)
    logins: Mapping[str, str] = field(repr=False)
    name: Literal["postgresql"] = "postgresql"

    @property
    def url(self) -> str:
        """The owner's address of the stack's own database."""
        return self.url_of(DATABASE)

    def url_of(self, database: str, login: str = OWNER) -> str:
        """Return the address of a database for the owner or one of the logins."""
        password = self.password if login == OWNER else self.logins[login]
        return f"postgresql://{login}:{password}@127.0.0.1:{self.port}/{database}"

    def programs(self) -> Sequence[Program]:
        """Create the cluster if there is none. No socket file: its path would have to be short and enterable."""
        programs = binaries.postgresql_programs()
        if not (self.folder / "PG_VERSION").exists():
            self._create(programs / "initdb")
        become = ("setpriv", f"--reuid={SYSTEM_USER}", f"--regid={SYSTEM_USER}", "--init-groups") if _is_root() else ()
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "max_connections": str(CONNECTIONS),
        }
        settings = (word for name, value in options.items() for word in ("-c", f"{name}={value}"))
        argv = (*become, str(programs / "postgres"), "-D", DATA_DESCRIPTOR, *settings)
        environment = {"PATH": os.defpath, "LANG": "C.UTF-8"}
        return (Program("postgresql", argv, environment, Path("/"), data_folder=self.folder),)

    def probe(self) -> None:
        """Run a statement in the maintenance database."""
        try:
            self.run(sql.SQL("SELECT 1"))
        except psycopg.OperationalError as error:
            raise NotReadyError(str(error)) from None

    def run(self, *statements: sql.SQL | sql.Composed, database: str = "postgres") -> None:
        """Run statements as the owner, each in a transaction of its own."""
        url = self.url_of(database)
        with psycopg.connect(url, autocommit=True, connect_timeout=PROBE_SECONDS) as connection:
            for statement in statements:
                connection.execute(statement)

    def has_database(self, name: str) -> bool:
        """Say whether a database of that name exists."""
        with psycopg.connect(self.url_of("postgres"), connect_timeout=PROBE_SECONDS) as connection:
            found = connection.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchone()
        return found is not None

    def _create(self, initdb: Path) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        if _is_root():
            account = pwd.getpwnam(SYSTEM_USER)
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        data = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        secret = os.memfd_create("password")  # a pipe of root's could not be opened by the user postgres
        try:
            os.write(secret, self.password.encode())
            made = subprocess.run(
                [
                    *(str(initdb), "-D", f"/proc/self/fd/{data}", f"--pwfile=/proc/self/fd/{secret}", "-U", OWNER),
                    *("-A", "scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"),
                ],
                text=True,
                capture_output=True,
                check=False,
                cwd="/",
                pass_fds=[data, secret],
                user=SYSTEM_USER if _is_root() else None,
                group=SYSTEM_USER if _is_root() else None,
                extra_groups=[] if _is_root() else None,
            )
        finally:
            os.close(data)
            os.close(secret)
        if made.returncode != 0:
            raise DependencyDownError(f"initdb could not create {self.folder}: {made.stderr.strip()}")


def _is_root() -> bool:
    return os.geteuid() == 0
