"""Structured logs: one JSON object per line on stderr, with the ids of whatever is being worked on."""

import logging
import logging.config
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from pythonjsonlogger.json import JsonFormatter

_context: ContextVar[dict[str, object] | None] = ContextVar("ledger_log_context", default=None)

QUIET: Final = ("amqp", "kombu", "celery.app.trace", "celery.worker.strategy", "alembic", "nats", "httpx", "rapidocr")
"""Libraries that log every message at INFO, or credentials at DEBUG: warnings only."""


class _Context(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        for name, value in (_context.get() or {}).items():
            if not hasattr(record, name):
                setattr(record, name, value)
        return True


@contextmanager
def bound(**ids: object) -> Iterator[None]:
    """Put ids (receipt, request_id, run, job_id ...) on every line that is logged inside."""
    token = _context.set(
        {**(_context.get() or {}), **{name: value for name, value in ids.items() if value is not None}}
    )
    try:
        yield
    finally:
        _context.reset(token)


def configure(service: str, level: str) -> None:
    """Log JSON lines to stderr from now on; `service` stands on every line."""
    handler = logging.StreamHandler()
    handler.addFilter(_Context())
    handler.setFormatter(
        JsonFormatter(
            "{asctime}{levelname}{name}{message}",
            style="{",
            rename_fields={"asctime": "at", "levelname": "level", "name": "logger"},
            static_fields={"service": service},
            datefmt="%Y-%m-%dT%H:%M:%S%z",
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.captureWarnings(capture=True)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
