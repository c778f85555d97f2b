"""`ledger serve`: the address comes in, HTTP and the inbox run until SIGTERM."""

import signal
from typing import Annotated

import typer

from ledger_tasks import logs
from ledger_tasks.settings import ServeSettings, load


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8080,
) -> None:
    """Run the inbox, the HTTP API, the pages and /healthcheck in one process.

    Example: `ledger serve --port 8080`
    """
    import uvicorn  # noqa: PLC0415 (only after the settings are right)

    from ledger_tasks.web.app import create_app  # noqa: PLC0415

    settings = load(ServeSettings)
    logs.configure("serve", settings.ledger_log_level)
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(settings, ended=lambda: setattr(server, "should_exit", True)),
            host=host,
            port=port,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=10,
        )
    )
    # uvicorn stops in order and then raises the signal once more, which would end us with 143 instead of 0.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server.run()
    raise typer.Exit(0 if server.started else 7)
