"""The application of `ledger serve`: settings come in, an ASGI application goes out."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version

from fastapi import FastAPI, HTTPException, Request, status
from fastapi.responses import JSONResponse

from ledger_tasks.clock import new_id, now
from ledger_tasks.errors import ConfigurationError, Infrastructure, UsageError
from ledger_tasks.recognition.listener import Inbox
from ledger_tasks.recognition.ticks import Exchange, open_exchange
from ledger_tasks.settings import ServeSettings
from ledger_tasks.web import files, health, metrics
from ledger_tasks.web.background import Background
from ledger_tasks.web.guesses import CALLS_PER_ADDRESS, LOGINS_PER_ADDRESS, Guesses
from ledger_tasks.web.pages import pages

log = logging.getLogger(__name__)


def create_app(settings: ServeSettings, ended: Callable[[], object]) -> FastAPI:
    """Make the application with its journal; no server is called before it starts. Raises ConfigurationError.

    `ended` is called when the background work ends by itself: a process that only answers would look healthy.
    """
    exchange = open_exchange(settings)
    inbox = _inbox(settings, exchange)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        log.info("subjects: %s", " ".join(f"{name}={subject}" for name, subject in settings.subjects.items()))
        background = Background(exchange, inbox, inline_ticks=settings.inline_ticks)
        running = asyncio.create_task(background.run())
        running.add_done_callback(_log_surprise)
        running.add_done_callback(lambda _: ended())
        app.state.background = background
        app.state.alive = lambda: not running.done() and not _expired(settings)
        yield
        background.stop()
        with suppress(Exception):  # it is in the log already, and the process ends
            await running

    app = FastAPI(title="ledger", version=version("ledger-tasks"), lifespan=lifespan)
    app.state.settings = settings
    app.state.exchange = exchange
    app.state.tokens = settings.api_tokens
    app.state.wrong_logins, app.state.wrong_calls = Guesses(LOGINS_PER_ADDRESS), Guesses(CALLS_PER_ADDRESS)
    app.include_router(health.router)
    app.include_router(files.router)
    app.include_router(metrics.router)
    app.include_router(pages())
    app.add_exception_handler(HTTPException, _refusal)
    app.add_exception_handler(UsageError, _unusable)
    app.add_exception_handler(Infrastructure, _away)
    return app


def _inbox(settings: ServeSettings, exchange: Exchange) -> Inbox | None:
    if not settings.nats_enabled:
        return None
    assert settings.recognition_spool_dir is not None, "checked when the settings were loaded"
    try:
        return Inbox(settings, exchange.engine, settings.recognition_spool_dir, new_id())
    except (OSError, sqlite3.Error) as error:
        raise ConfigurationError(
            f"RECOGNITION_SPOOL_DIR cannot hold a journal: {error}",
            remedy="Name a folder on a local volume that this process may write to.",
        ) from None


def _expired(settings: ServeSettings) -> bool:
    """Say whether our JWT has ended: the environment of a process does not change, only a restart reads a new one."""
    seconds = settings.credentials_last(now())
    return seconds is not None and seconds <= 0


def _log_surprise(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (surprise := task.exception()) is not None:
        log.critical("the background work ended", exc_info=surprise)


async def _refusal(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    body = error.detail if isinstance(error.detail, dict) else {"code": error.detail}
    return JSONResponse(body, error.status_code, error.headers)


async def _unusable(_request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"code": "UNUSABLE", "reason": str(error)}, status.HTTP_422_UNPROCESSABLE_CONTENT)


async def _away(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Infrastructure)
    log.error("a request was turned away: %s", error)
    return JSONResponse({"code": error.code}, status.HTTP_503_SERVICE_UNAVAILABLE)
