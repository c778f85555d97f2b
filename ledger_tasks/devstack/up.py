"""`ledger dev up`: the caller's environment and the wanted roles in, a stack in which exactly these run out."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, get_args
from urllib.parse import unquote, urlsplit

from ledger_tasks.devstack.environment import ROLES, RoleName, given, resolve, without_echo
from ledger_tasks.devstack.postgresql import DATABASE
from ledger_tasks.devstack.roles import probe_role, role_program
from ledger_tasks.devstack.schema import migrate, prepare_database
from ledger_tasks.devstack.service import ServiceName
from ledger_tasks.devstack.stack import Stack
from ledger_tasks.errors import DependencyDownError, Infrastructure
from ledger_tasks.files import volumes

SERVICES: Final[tuple[ServiceName, ...]] = get_args(ServiceName)


def up(stack: Stack, roles: Sequence[RoleName], caller: Mapping[str, str], *, with_s3: bool) -> None:
    """Start what is missing, migrate, prove the volumes, and leave exactly `roles` running. Safe to repeat.

    Raises DependencyDownError; its message names the log to read.
    """
    stack.open()
    theirs = without_echo(caller, (own_environment(stack, with_s3=False), own_environment(stack, with_s3=True)))
    stack.bucket = theirs.get("OBJECT_STORE_BUCKET", stack.bucket)
    wanted = [name for name in SERVICES if name not in given(theirs) and (with_s3 or name != "s3")]
    services = stack.launch(wanted)
    stack.supervisor.stop(*(name for name in SERVICES if name not in wanted))
    resolved = resolve(theirs, own_environment(stack, with_s3=with_s3))
    stack.state.services, stack.state.roles, stack.state.environment = list(wanted), list(roles), resolved
    stack.save()
    _prepare_data(stack, resolved)
    stack.wait(services)
    stack.supervisor.stop(*(role for role in ROLES if role not in roles))
    for role in roles:
        stack.supervisor.start(role_program(stack, role, resolved, theirs, roles))
    for role in roles:
        stack.wait_for(role, partial(probe_role, stack, role))


def own_environment(stack: Stack, *, with_s3: bool) -> dict[str, str]:
    """Return what the stack itself offers: addresses, credentials, folders."""
    folder, state = stack.home.folder, stack.state
    objects = {"OBJECT_STORE_URL": "s3:", **stack.s3.environment}
    if not with_s3:
        objects = {"OBJECT_STORE_URL": (folder / "objects").as_uri()}
    return {
        "RABBITMQ_URL": stack.rabbitmq.url,
        "RABBITMQ_MANAGEMENT_URL": stack.rabbitmq.management_url,
        "DATABASE_URL": stack.postgresql.url,
        "NATS_URL": stack.nats.url,
        "NATS_ENABLED": "true",
        "LEDGER_URL": f"http://127.0.0.1:{state.ports['serve']}",
        "LEDGER_API_TOKEN": state.secrets["api_token"],
        "RECEIPT_SOURCE_ROOT": str(folder / "receipts"),
        "HOME_BUDGET_OCR_CACHE": str(folder / "ocr-cache"),
        "RECOGNITION_SPOOL_DIR": str(folder / "spool"),
        "OBJECT_STORE_BUCKET": stack.bucket,
        **objects,
    }


def _prepare_data(stack: Stack, resolved: Mapping[str, str]) -> None:
    """Migrate and prove the volumes, while the broker is still booting."""
    root, cache = Path(resolved["RECEIPT_SOURCE_ROOT"]), Path(resolved["HOME_BUDGET_OCR_CACHE"])
    folders = [root, cache, Path(resolved["RECOGNITION_SPOOL_DIR"])]
    if resolved["OBJECT_STORE_URL"].startswith("file:"):
        folders.append(Path(unquote(urlsplit(resolved["OBJECT_STORE_URL"]).path)))
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    try:
        volumes.initialise(root, cache)
        if "postgresql" in stack.state.services:
            stack.wait_for("postgresql", stack.postgresql.probe)
            prepare_database(stack.postgresql, DATABASE)
        else:
            migrate(resolved["DATABASE_URL"])
    except Infrastructure as trouble:
        raise DependencyDownError(
            f"{trouble.detail} ({trouble.code})",
            remedy="Check DATABASE_URL, RECEIPT_SOURCE_ROOT and HOME_BUDGET_OCR_CACHE in your environment.",
            next_command="ledger dev status",
        ) from trouble
