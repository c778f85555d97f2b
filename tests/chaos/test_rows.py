"""Every row of the two failure tables has its file here, and every file that claims a row names one of them."""

import ast
from pathlib import Path

FAILURE_RECOVERY = {
    "Before a publish is confirmed",
    "After publish confirmation",
    "Before the cache marker is replaced",
    "After the cache marker but before result confirmation",
    "Before the collector database commit",
    "After collector commit but before result ACK",
    "During retry or dead-letter publication",
    "Worker shutdown",
}
"""The column "Failure point" of the specification's table "Failure recovery"."""

WHO_DECIDES = {
    "Bad contract, unknown version, oversize body",
    "Unsafe path; hash differs before or after reading",
    "Source missing on a proven volume",
    "Infrastructure: volumes",
    "Infrastructure: PostgreSQL",
    "Infrastructure: the broker",
    "Unreadable input",
    "Time or memory limit of one receipt, engine failure",
    "A bug of ours",
    "Text found but fields missing, ambiguous or not adding up",
}
"""The rows of "Who decides what"; its row of infrastructure trouble is three files, one for each thing that is away."""


def test_every_row_of_both_tables_has_its_file() -> None:
    claimed = []
    for path in Path(__file__).parent.glob("test_*.py"):
        kind, _, row = (ast.get_docstring(ast.parse(path.read_text())) or "").split("\n")[0].partition(": ")
        if kind in {"Failure recovery", "Who decides what"}:
            claimed.append((kind, row.rstrip(".")))
    tables = (("Failure recovery", FAILURE_RECOVERY), ("Who decides what", WHO_DECIDES))
    assert sorted(claimed) == sorted((kind, row) for kind, rows in tables for row in rows)
