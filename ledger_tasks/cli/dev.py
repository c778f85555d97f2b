"""`ledger dev ...`: private servers and our own roles for this checkout, up, down, looked at, and as environment."""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer
from filelock import FileLock, Timeout

from ledger_tasks.cli.output import Json, emit, say, table
from ledger_tasks.devstack.environment import ROLES, RoleName
from ledger_tasks.devstack.home import default_folder, is_stack
from ledger_tasks.devstack.stack import Stack
from ledger_tasks.devstack.status import Line
from ledger_tasks.devstack.status import status as look
from ledger_tasks.errors import ConflictError, NotFoundError, UsageError

LOCK_SECONDS: Final = 300
"""How long one `dev up` or `dev down` waits for another one on the same folder."""

Dir = Annotated[Path | None, typer.Option("--dir", help="The stack's data folder; by default one per checkout.")]


def up(
    roles: Annotated[str, typer.Option(help=f"Our own processes to run, comma separated: {','.join(ROLES)}")] = "",
    dir_: Dir = None,
    s3: Annotated[bool, typer.Option("--s3", help="Start an S3 server too and keep objects there.")] = False,
    json: Json = False,
) -> None:
    """Start private RabbitMQ, PostgreSQL and NATS, migrate, initialise the volumes, and run the named roles.

    Run it again to start what is missing, or with other roles: it leaves exactly the named ones running. A service
    whose address is in your environment (RABBITMQ_URL, DATABASE_URL, NATS_URL, AWS_ENDPOINT_URL) is used, not started.

    Example: `ledger dev up --roles beat,publisher,ocr,collector`
    """
    from ledger_tasks.devstack.up import up as bring_up  # noqa: PLC0415 (only `up` pays for the migrations)

    wanted = _roles(roles)
    folder = dir_ or default_folder()
    with _alone(folder):
        stack = Stack(folder)
        bring_up(stack, wanted, os.environ, with_s3=s3)
        _show(stack, json=json)
    option = f" --dir {shlex.quote(str(folder))}" if dir_ else ""
    say(f'next: eval "$(ledger dev env{option})" in your shell, and `ledger dev down{option}` at the end')


def down(
    dir_: Dir = None,
    purge: Annotated[bool, typer.Option("--purge", help="Remove the stack's data too.")] = False,
    json: Json = False,
) -> None:
    """End everything that `ledger dev up` started; data stays unless --purge is given.

    Roles finish and acknowledge their current delivery first.

    Example: `ledger dev down --purge`
    """
    folder = dir_ or default_folder()
    existed = is_stack(folder)
    if existed:
        with _alone(folder):
            Stack(folder).down(purge=purge)
    if json:
        emit({"folder": str(folder), "existed": existed, "purged": existed and purge})
    else:
        say(f"Nothing of {folder} runs any more." if existed else f"There is no stack in {folder}.")


def status(dir_: Dir = None, json: Json = False) -> None:
    """Say what of the last `ledger dev up` works (exit 7 when something does not).

    Example: `ledger dev status --json`
    """
    lines = _show(_existing(dir_), json=json)
    if not lines or not all(line.is_fine for line in lines):
        raise typer.Exit(7)


def env(dir_: Dir = None, json: Json = False) -> None:
    """Print the environment of the last `ledger dev up`: enough to run any role or command by hand.

    Example: `eval "$(ledger dev env)"`
    """
    resolved = _existing(dir_).state.environment
    if json:
        emit(resolved)
        return
    for name, value in sorted(resolved.items()):
        sys.stdout.write(f"export {name}={shlex.quote(value)}\n")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with FileLock(folder / "stack.lock", timeout=LOCK_SECONDS):
            yield
    except Timeout:
        raise ConflictError(f"another `ledger dev` works on {folder}", next_command="ledger dev status") from None


def _existing(folder: Path | None) -> Stack:
    chosen = folder or default_folder()
    if not is_stack(chosen):
        raise NotFoundError(f"there is no stack in {chosen}", next_command="ledger dev up")
    return Stack(chosen)


def _roles(text: str) -> list[RoleName]:
    words = {word.strip() for word in text.split(",")} - {""}
    if unknown := words - set(ROLES):
        raise UsageError(f"no role is called {', '.join(sorted(unknown))}", remedy=f"Use: {','.join(ROLES)}.")
    return [role for role in ROLES if role in words]


def _show(stack: Stack, *, json: bool) -> list[Line]:
    services, roles = look(stack)
    lines = [*services, *roles]
    if json:
        emit(
            {
                "folder": str(stack.home.folder),
                "services": {line.name: asdict(line) for line in services},
                "roles": {line.name: asdict(line) for line in roles},
            }
        )
    else:
        rows = [(line.name, line.state, line.pid, line.address, line.log) for line in lines]
        table(("name", "state", "pid", "address", "log"), rows, title=f"stack {stack.home.folder}")
    return lines
