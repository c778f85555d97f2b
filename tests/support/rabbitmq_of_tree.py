"""RabbitMQ 4.0 where tests ask for it: LEDGER_TEST_RABBITMQ=4.0 gives their stacks Debian 13's node in a chroot."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from ledger_tasks.devstack.program import Program
from ledger_tasks.devstack.rabbitmq import RabbitMQ
from ledger_tasks.devstack.stack import Stack
from tests.support.debian import debian

VARIABLE = "LEDGER_TEST_RABBITMQ"
SUITES = {"4.0": "trixie"}
PACKAGE = "rabbitmq-server"
CHROOT = "/usr/sbin/chroot"


@contextmanager
def stack_in(folder: Path, home: Path) -> Iterator[Stack]:
    """Give the stack of a folder below `home`, with the broker version that the environment asks for."""
    version = os.environ.get(VARIABLE)
    if version is None:
        yield Stack(folder)
        return
    with debian(SUITES[version], PACKAGE) as tree, _seen_in(tree, home):
        yield _StackWithTree(folder, tree)


@contextmanager
def _seen_in(tree: Path, folder: Path) -> Iterator[None]:
    """Show a folder at the same path inside a tree."""
    inside = tree / folder.relative_to("/")
    inside.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "--bind", folder, inside], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", inside], check=True)


@dataclass(frozen=True)
class _RabbitMQInTree(RabbitMQ):
    tree: Path = field(kw_only=True)

    def programs(self) -> Sequence[Program]:
        mapper, node = super().programs()
        return replace(mapper, argv=(CHROOT, str(self.tree), "/usr/bin/epmd", *mapper.argv[1:])), node

    def script(self, name: str, *words: str) -> tuple[str, ...]:
        (found,) = (self.tree / "usr/lib/rabbitmq/lib").glob(f"rabbitmq_server-*/sbin/{name}")
        return (CHROOT, str(self.tree), f"/{found.relative_to(self.tree)}", *words)


class _StackWithTree(Stack):
    def __init__(self, folder: Path, tree: Path) -> None:
        super().__init__(folder)
        self._tree = tree

    @property
    def rabbitmq(self) -> RabbitMQ:
        plain = super().rabbitmq
        return _RabbitMQInTree(**{each.name: getattr(plain, each.name) for each in fields(plain)}, tree=self._tree)
