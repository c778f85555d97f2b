"""Time and fresh ids, in one place, so that everything else takes them as arguments."""

from datetime import UTC, datetime
from uuid import uuid4


def now() -> datetime:
    """Return the current time, timezone-aware, in UTC."""
    return datetime.now(UTC)


def new_id() -> str:
    """Return a fresh canonical UUID text."""
    return str(uuid4())
