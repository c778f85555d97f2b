"""The whole system by hand: every workload of the overlay as its pod would start it, with its own credentials only."""

import json
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg
import pytest

from deploy.credentials import Addresses, Secrets, make_secrets
from ledger_tasks.devstack.seaweedfs import SeaweedFS
from tests.deploy.conftest import PASSWORDS
from tests.deploy.rendered import DEPLOY, Pod, config_maps, environment, pod, render
from tests.support.amqp import wait_until
from tests.support.nats_servers import NatsServer
from tests.support.node import Node, free_port
from tests.support.servers import Database, Volumes

DATA = Path(__file__).parents[1] / "data"
RECEIPT = DATA / "receipts" / "cafe-english.jpg"
BALANCES = DATA / "trial_balances" / "russian.xlsx"
LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"


@dataclass
class Cluster:
    """The rendered overlay, and what stands on this machine for its services and volumes."""

    secrets: Secrets
    here: dict[str, str]
    started: Callable[..., object]

    def given(self, workload: Pod) -> dict[str, str]:
        """The pod's environment; only addresses of services and folders are this machine's, and only where given."""
        found = environment(workload.spec["containers"][0], config_maps(render("rabbitmq")), self.secrets)
        if "LEDGER_METRICS_PORT" in found:
            found["LEDGER_METRICS_PORT"] = str(free_port())  # pods have an address each, processes here share one
        return {name: self.here.get(name, value) for name, value in found.items() if name != "LEDGER_HEALTH_FILE"}

    def start(self, name: str, *more: str, wait: bool = True) -> None:
        workload = pod(render("rabbitmq"), name)
        words = workload.spec["containers"][0]["command"][1:]
        self.started(*words, *more, environment=self.given(workload), wait=wait)

    def run(self, name: str) -> str:
        workload = pod(render("rabbitmq"), name)
        words = workload.spec["containers"][0]["command"][1:]
        given = self.given(workload) | {"PATH": "/usr/bin:/bin"}
        done = subprocess.run([LEDGER, *words], env=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def cluster(shipped: Node, database: Database, s3: SeaweedFS, volumes: Volumes, tmp_path: Path, run_role) -> Cluster:
    server = database.server
    passwords = PASSWORDS | {
        f"database-{role}": server.logins[f"ledger_{role}"] for role in ("publisher", "collector", "core")
    }
    passwords |= {"owner": server.password, "objects": s3.secret_key}
    text = (DEPLOY / "nats.conf").read_text()
    for user in ("core", "recognizer"):
        text = text.replace(f"$NATS_{user.upper()}_PASSWORD", passwords[f"nats-{user}"])
    nats = NatsServer(tmp_path / "nats", text)
    addresses = Addresses(shipped.address, f"127.0.0.1:{server.port}/{database.name}", f"127.0.0.1:{nats.port}")
    (tmp_path / "spool").mkdir()
    here = {
        **volumes.environment,
        "AWS_ENDPOINT_URL": s3.url,
        "OBJECT_STORE_BUCKET": s3.bucket,
        "RECOGNITION_SPOOL_DIR": str(tmp_path / "spool"),
    }
    yield Cluster(make_secrets(passwords, addresses), here, run_role)
    nats.kill()


def test_a_receipt_and_a_recognition_job_go_through_with_least_credentials(
    cluster: Cluster, database: Database, volumes: Volumes, run_role
) -> None:
    shutil.copy(RECEIPT, volumes.root / RECEIPT.name)
    port = str(free_port())
    for name in ("ocr-results-collector", "receipt-worker", "ledger-recognition", "ledger-publisher", "ledger-beat"):
        cluster.start(name)
    cluster.start("ledger-core", "--host", "127.0.0.1", "--port", port, wait=False)
    recognizer = cluster.given(pod(render("rabbitmq"), "ledger-core"))
    recognizer = {
        name: value for name, value in recognizer.items() if name not in {"DATABASE_URL", "LEDGER_API_TOKENS"}
    }
    run_role("recognizer", "tabular", environment=recognizer | cluster.secrets["recognizer-nats"], wait=False)

    assert json.loads(cluster.run("receipt-processor"))["published"] == 1
    job = submit(f"http://127.0.0.1:{port}", cluster.secrets["core-api"]["LEDGER_API_TOKENS"].rpartition(":")[2])

    with psycopg.connect(database.url, autocommit=True) as owner:

        def one(statement: str, *values: str) -> object:
            row = owner.execute(statement, values).fetchone()
            return row and row[0]

        wait_until(
            lambda: one("SELECT status FROM ingest.receipt_processing_status") in {"succeeded", "review_required"},
            "the receipt in the database",
        )
        assert one("SELECT count(*) FROM budget.receipt_evidence") == 1
        wait_until(
            lambda: one("SELECT status FROM recognition.recognition_job WHERE id = %s", job) == "done", "the answer"
        )
        rows = (
            "SELECT count(*) FROM recognition.document_row r JOIN recognition.document d ON d.id = r.document_id "
            "WHERE d.recognition_job_id = %s"
        )
        wait_until(lambda: one(rows, job) == 6, "the rows of the trial balance")
    assert json.loads(cluster.run("receipt-processor"))["skipped"] == 1


def submit(url: str, token: str) -> str:
    """Send a trial balance as a person would, once the core is ready; return the job's id."""

    def ready() -> bool:
        try:
            return httpx.get(f"{url}/readyz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    wait_until(ready, "the core")
    with BALANCES.open("rb") as file:
        answer = httpx.post(
            f"{url}/api/files",
            headers={"Authorization": f"Bearer {token}"},
            files={"file": (BALANCES.name, file)},
            data={"pipeline": "tabular"},
            timeout=30,
        )
    assert answer.status_code == 201, answer.text
    return str(answer.json()["job_id"])
