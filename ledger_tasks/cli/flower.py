"""`ledger flower`: the address comes in, Flower runs until SIGTERM."""

import signal
import sys
from typing import Annotated

import typer

from ledger_tasks import logs
from ledger_tasks.cli.output import say
from ledger_tasks.errors import ConfigurationError
from ledger_tasks.settings import FlowerSettings, load


def flower(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 5555,
    operate: Annotated[
        bool, typer.Option("--operate", help="Let operators control workers; revoking loses work.")
    ] = False,
) -> None:
    """Show workers, tasks and all our queues, read-only, to those who have a token (the name is the user).

    History that outlives Flower is ours: `ledger receipts explain`, the pages of `ledger serve`.

    Example: `ledger flower --port 5555`
    """
    settings = load(FlowerSettings)
    if not settings.api_tokens:
        raise ConfigurationError(
            "LEDGER_API_TOKENS is empty, so nobody could log in",
            remedy="Set LEDGER_API_TOKENS to name:read:token, or name:operate:token.",
        )
    from ledger_tasks.app import monitor_app  # noqa: PLC0415 (only after the settings are right)
    from ledger_tasks.flower import make  # noqa: PLC0415 (an extra of its own)

    logs.configure("flower", settings.ledger_log_level)
    running = make(monitor_app(settings, operate=operate), settings, host=host, port=port, operate=operate)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    running.start_http_server()
    say(f"Flower listens on http://{host}:{port}")
    try:
        running.start()
    finally:
        running.stop()
