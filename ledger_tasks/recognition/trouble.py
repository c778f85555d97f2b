"""What hinders the exchange: a code for each place where it is met; nothing of this changes a job."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final, NamedTuple

NO_RESPONDERS: Final = "NO_RESPONDERS"
"""Requests were taken by the server, and no service listens on their subject."""

SUBJECT_REFUSED: Final = "SUBJECT_REFUSED"
"""The server does not let us publish on a subject: its jobs stay queued."""

FORGOTTEN_AFTER: Final = timedelta(minutes=5)
"""A trouble that nobody met again for so long is not told any more: nothing was tried, or nobody tries."""

Met = Mapping[str, str | None]
"""Place (a tick or a subject) -> the code of what hinders it now, None when it works."""


class Trouble(NamedTuple):
    """What hinders a place, and for how many seconds already."""

    place: str
    code: str
    seconds: float
