"""The words of a container, as the real command line reads them: nothing is run."""

from typing import Any

from typer.main import get_command

from ledger_tasks import settings as settings_of
from ledger_tasks.cli import build
from ledger_tasks.devstack.environment import SETTINGS
from ledger_tasks.roles import ROLES
from ledger_tasks.settings.base import Settings


def parse(words: list[str]) -> dict[str, Any]:
    """Return the parameters of the last command. Raises whatever the command line raises for wrong words."""
    command: Any = get_command(build(words))
    context = command.make_context("ledger", list(words))
    while hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args] if hasattr(context, "_protected_args") else context.args
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)
    parameters: dict[str, Any] = context.params
    role = parameters.get("role")
    if role is not None and role not in {*ROLES, "beat"}:
        raise ValueError(f"no role is called {role}")
    return parameters


def settings_class(words: list[str]) -> type[Settings] | None:
    """Return the settings of the role that these words start; None for the migrations, which need the URL alone."""
    match words:
        case ["worker", role] | ["receipts", ("consume" | "collect") as role]:
            return SETTINGS[{"consume": "ocr", "collect": "collector"}.get(role, role)]  # type: ignore[index]
        case ["beat"] | ["serve", *_]:
            return SETTINGS[words[0]]  # type: ignore[index]
        case ["flower", *_]:
            return settings_of.FlowerSettings
        case ["recognizer", *_]:
            return settings_of.RecognizerSettings
        case ["receipts", "publish"]:
            return settings_of.PublisherSettings
        case ["database", "upgrade"]:
            return settings_of.DatabaseSettings
        case _:
            return None
