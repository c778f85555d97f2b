"""`GET /metrics` tells how the system stands, to those with a token, also while the database is away."""

import httpx
import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from ledger_tasks.metrics import NAMES
from ledger_tasks.settings import ServeSettings, load
from ledger_tasks.web.app import create_app


def samples(text: str) -> dict[tuple[str, str], float]:
    return {
        (sample.name, ",".join(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_metrics_need_a_token(site) -> None:
    assert httpx.get(f"{site.url}/metrics").status_code == 401


def test_the_numbers_are_those_of_the_database_and_no_name_is_unknown(site) -> None:
    answer = httpx.get(f"{site.url}/metrics", headers={"Authorization": f"Bearer {site.reader}"}, timeout=20)
    found = samples(answer.text)
    assert found["ledger_database_up", ""] == 1
    assert found["ledger_dead_letters", "TIMEOUT"] == site.one(
        "SELECT count(*) FROM budget.dead_letters WHERE code = 'TIMEOUT' AND state = 'open'"
    )
    assert found["ledger_receipts", "in_flight"] == 100
    assert found["ledger_in_flight_oldest_seconds", ""] > 0
    assert found["ledger_broker_up", ""] == 1
    ours = {name for name, _ in found if name.startswith("ledger_")}
    assert ours <= NAMES


def test_metrics_say_that_the_database_is_away(site, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in site.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DATABASE_URL", "postgresql://ledger@127.0.0.1:1/nowhere")
    monkeypatch.setenv("RABBITMQ_URL", "amqp://127.0.0.1:1")
    client = TestClient(create_app(load(ServeSettings), ended=lambda: None))
    found = samples(client.get("/metrics", headers={"Authorization": f"Bearer {site.reader}"}).text)
    assert found["ledger_database_up", ""] == 0
    assert found["ledger_broker_up", ""] == 0
