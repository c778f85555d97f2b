"""The doctor on real servers: healthy, with other arguments, without volumes."""

import json
import os
import subprocess
import sysconfig
from pathlib import Path

import psycopg
import pytest
from kombu import Connection

from ledger_tasks.doctor.broker import version_finding
from ledger_tasks.messaging.topology import declare, topology
from ledger_tasks.settings.parts import SAFE_PREFETCH

LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"


def doctor(environment: dict[str, str]) -> tuple[int, dict[str, dict]]:
    done = subprocess.run(
        [LEDGER, "doctor", "--json"], env=dict(os.environ) | environment, capture_output=True, text=True, check=False
    )
    return done.returncode, {each["check"]: each for each in json.loads(done.stdout)["findings"]}


@pytest.mark.case("C107")
def test_a_healthy_system_has_nothing_wrong_and_a_retry_delay_of_tests_is_warned_of(broker, database, volumes) -> None:
    code, found = doctor(broker.environment | database.environment | volumes.environment)
    assert code == 0, found
    assert found["volume locks"]["verdict"] == found["schema revision"]["verdict"] == "ok"
    assert found["retry delay"]["verdict"] == "warning"
    assert found["collector prefetch"]["verdict"] == "ok"


def test_a_collector_that_would_hold_more_deliveries_than_may_be_given_back_is_warned_of(
    broker, database, volumes
) -> None:
    given = broker.environment | database.environment | volumes.environment
    code, found = doctor(given | {"COLLECTOR_PREFETCH": str(SAFE_PREFETCH + 1)})
    assert code == 0, found
    assert found["collector prefetch"]["verdict"] == "warning"
    assert "33 deliveries" in found["collector prefetch"]["detail"]
    assert "ledger worker collector" in found["collector prefetch"]["remedy"]


def test_a_database_role_that_lacks_a_right_or_has_anothers_is_named(broker, database, volumes) -> None:
    given = broker.environment | volumes.environment
    for role in ("ledger_publisher", "ledger_collector", "ledger_core"):
        healthy = doctor(given | database.environment_of(role))[1]
        assert healthy["database roles"]["verdict"] == healthy["schema revision"]["verdict"] == "ok"
    with psycopg.connect(database.url, autocommit=True) as owner:
        owner.execute("REVOKE INSERT ON budget.expenses FROM ledger_collector")
        owner.execute("GRANT DELETE ON budget.receipt_evidence TO ledger_core")
    code, found = doctor(given | database.environment_of("ledger_publisher"))
    assert code == 9
    assert found["database roles"]["detail"] == (
        "ledger_collector may not INSERT budget.expenses; ledger_core may DELETE budget.receipt_evidence"
    )


def test_other_arguments_and_a_missing_volume_are_wrong_with_both_values_and_a_remedy(
    broker, database, volumes
) -> None:
    with Connection(broker.url) as connection:
        declare(connection, [spec for spec in topology(5) if spec.name == "receipts.v1.retry"])
    (volumes.root / ".ledger-volume").unlink()
    code, found = doctor(broker.environment | database.environment | volumes.environment)
    assert code == 9
    assert "1000" in found["queue receipts.v1.retry"]["detail"]
    assert "5000" in found["queue receipts.v1.retry"]["detail"]
    assert "--init" in found["volumes"]["remedy"]


@pytest.mark.case("C058")
def test_versions_that_drop_dead_letters_are_refused() -> None:
    assert version_finding("3.13.1").verdict == "wrong"
    assert version_finding("3.9.29").verdict == "wrong"
    assert [version_finding(each).verdict for each in ("3.10.8", "3.13.3", "4.0.5")] == ["ok"] * 3
