"""The `ledger` command: words come in, one function is imported and run, an exit code goes out."""

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import typer
from typer._click.exceptions import ClickException

from ledger_tasks.cli.commands import COMMANDS, GROUPS, Command
from ledger_tasks.cli.output import report
from ledger_tasks.errors import LedgerError


def main() -> None:
    """Run `ledger` with the words of this process and exit."""
    sys.exit(run(sys.argv[1:]))


def run(words: Sequence[str]) -> int:
    """Run one command line and return its exit code; an expected failure is reported on stderr with its remedy."""
    try:
        result = build(words)(args=list(words), prog_name="ledger", standalone_mode=False)
    except LedgerError as error:
        report(error)
        return error.exit_code
    except typer.Exit as end:
        return end.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return 130
    except ClickException as error:
        error.show()
        return error.exit_code
    return result if isinstance(result, int) else 0


def build(words: Sequence[str]) -> typer.Typer:
    """Make the command tree in which only the called command is imported; the others are their help texts."""
    root = _group("Turn a folder of receipts into bookkeeping that can be trusted.")
    groups: dict[str, typer.Typer] = {}
    for command in COMMANDS:
        *path, name = command.words
        parent = root
        if path:
            if path[0] not in groups:
                groups[path[0]] = _group(GROUPS[path[0]])
                root.add_typer(groups[path[0]], name=path[0])
            parent = groups[path[0]]
        called = tuple(words[: len(command.words)]) == command.words
        function = _load(command.target) if called else _placeholder
        parent.command(name, help=None if called else command.help)(function)
    return root


def _group(text: str) -> typer.Typer:
    return typer.Typer(
        help=text,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
    )


def _load(target: str) -> Callable[..., Any]:
    module, function = target.split(":")
    loaded: Callable[..., Any] = getattr(importlib.import_module(f"ledger_tasks.cli.{module}"), function)
    return loaded


def _placeholder() -> None:
    """Stand in the help of a group for a command that is not imported."""


__all__ = ["Command", "build", "main", "run"]
