"""Pages: server time of each page of `ledger serve` over 5000 receipts, against the 300 ms that a person may wait."""

import statistics
from unittest.mock import patch

from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text

from ledger_tasks.settings import ServeSettings, load
from ledger_tasks.web.app import create_app
from tests.bench.harness import Row, seconds, spans
from tests.support.servers import Database, fresh, start, throwaway_stack
from tests.web.seed import seed

RECEIPTS = 5000
ROUNDS = 15
LIMIT_SECONDS = 0.3
PATHS = (
    "/",
    "/receipts",
    "/receipts?q=visit+number+4711",
    "/receipts/{sha256}",
    "/duplicates",
    "/dead",
    "/recognition",
)


def run() -> list[Row]:
    with throwaway_stack(fresh("bench-pages")) as stack:
        start(stack, "postgresql")
        database = Database(stack.postgresql, fresh("pages"))
        database.create()
        owner = create_engine(database.url.replace("postgresql:", "postgresql+psycopg:", 1))
        with owner.begin() as connection:
            seed(connection, RECEIPTS)
            waiting = "SELECT source_sha256 FROM budget.receipt_evidence WHERE extraction_status = 'review' LIMIT 1"
            sha256 = connection.execute(text(waiting)).scalar_one()
        environment = {
            **database.environment_of("ledger_core"),
            "LEDGER_API_TOKENS": "bench:read:bench",
            "OBJECT_STORE_URL": f"file://{stack.home.folder}/objects",
        }
        with patch.dict("os.environ", environment):
            client = TestClient(create_app(load(ServeSettings), ended=lambda: None))
        form = client.get("/login").text.split('name="csrf" value="')[1].split('"')[0]
        client.post("/login", data={"csrf": form, "token": "bench", "target": "/batches"})
        rows = [_row(client, path.format(sha256=sha256)) for path in PATHS]
        owner.dispose()
        return rows


def _row(client: TestClient, path: str) -> Row:
    assert client.get(path).status_code == 200
    found = [seconds(lambda: client.get(path)) for _ in range(ROUNDS)]
    ratio = statistics.median(found) / LIMIT_SECONDS
    shown = path if len(path) < 40 else f"{path[:20]}…"
    return Row("PAGES", f"{shown} over {RECEIPTS} receipts", spans(found), "0.300 s", ratio, "<= 1", ratio <= 1)
