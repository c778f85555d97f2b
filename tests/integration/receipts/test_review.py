"""`ledger receipts review` with nothing but a keyboard."""

import os
import pty
import subprocess
import sysconfig
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from ledger_tasks.collector.apply import collect
from ledger_tasks.storage.database import connect
from tests.support.events import CAFE, completed, receipt

LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"
BEGUN = datetime(2026, 8, 15, tzinfo=UTC)


def review(database, *answers):
    """Type the answers, each followed by Enter, and return what stands on the screen."""
    keyboard, terminal = pty.openpty()
    os.write(keyboard, "".join(f"{answer}\n" for answer in answers).encode())
    environment = database.environment | {"PATH": os.environ["PATH"], "TERM": "dumb"}
    done = subprocess.run(
        [LEDGER, "receipts", "review"], stdin=terminal, env=environment, capture_output=True, text=True, check=True
    )
    os.close(keyboard)
    os.close(terminal)
    return done.stdout + done.stderr


def statuses(database):
    with psycopg.connect(database.url) as connection:
        query = "SELECT source_reference, status FROM ingest.receipt_processing_status JOIN ingest.receipts r "
        found = connection.execute(query + "USING (source_sha256)").fetchall()
    return {reference.removeprefix("2026-08-14/").removesuffix(".pdf"): status for reference, status in found}


@pytest.mark.case("C052")
def test_twenty_receipts_are_settled_one_after_another_the_longest_waiting_first(database):
    engine = connect(SecretStr(database.url))
    for number in range(20):
        said = receipt(("DATE_AMBIGUOUS",), **CAFE | {"total": f"{number + 1}.00"})
        event = completed(f"n{number}", f"r{number}", generation=1, said=said)
        collect([event], engine, BEGUN + timedelta(minutes=number))
    engine.dispose()
    answers = ["transaction_date=2026-08-13"] * 5 + ["a"] * 5 + ["total=much", "a"] + [""] * 9
    screen = review(database, *answers)
    assert "1 of 20" in screen
    assert "this is no total" in screen
    stands = statuses(database)
    assert {name for name, status in stands.items() if status == "succeeded"} == {f"n{number}" for number in range(11)}
    screen = review(database, "q")
    assert "1 of 9" in screen
    assert statuses(database) == stands
