"""New receipts overtake batches: a token on the cache volume goes in and comes out; another one is newer receipts.

Work of a batch that was published under another token goes once to the end of the queue. A token, because no clocks of
two machines are compared.
"""

from pathlib import Path
from typing import Final

from ledger_tasks.files.shared import read_whole, write_whole

MARK: Final = ".urgent"


def urgent(cache: Path) -> str:
    """Return the token of the newest publication of new receipts, empty before the first. Raises Infrastructure."""
    return (read_whole(cache / MARK) or b"").decode("ascii", "replace")


def new_receipts_wait(cache: Path, token: str) -> None:
    """Say that new receipts were published; `token` differs from every one before. Raises Infrastructure."""
    write_whole(cache / MARK, token.encode("ascii"))
