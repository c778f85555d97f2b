"""`ledger health`, as a probe runs it: it passes while a role consumes, and fails for one that is deaf."""

import os
import signal
import subprocess
import sysconfig
from pathlib import Path

from tests.support.amqp import wait_until
from tests.support.servers import Broker, Volumes

LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"


def probe(health_file: Path, role: str) -> int:
    environment = {"LEDGER_HEALTH_FILE": str(health_file), "PATH": os.defpath}
    return subprocess.run([LEDGER, "health", role], env=environment, capture_output=True, check=False).returncode


def test_a_probe_passes_while_a_worker_consumes_and_fails_for_a_frozen_one(
    broker: Broker, volumes: Volumes, run_role
) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    assert probe(worker.health_file, "ocr") == 0
    assert probe(worker.health_file, "collector") == 7, "another role's file proves nothing"
    os.kill(worker.pid, signal.SIGSTOP)
    wait_until(lambda: probe(worker.health_file, "ocr") == 7, "a stale file")
    os.kill(worker.pid, signal.SIGCONT)
    wait_until(lambda: probe(worker.health_file, "ocr") == 0, "a fresh file")


def test_a_probe_fails_for_a_worker_that_lost_its_broker_and_passes_when_it_is_back(
    own_stack, volumes: Volumes, run_role
) -> None:
    own_stack.start("rabbitmq")
    worker = run_role("ocr", environment={"RABBITMQ_URL": own_stack.rabbitmq.url} | volumes.environment)
    own_stack.supervisor.stop("rabbitmq")
    wait_until(lambda: probe(worker.health_file, "ocr") == 7, "a worker that says it is deaf")
    own_stack.start("rabbitmq")
    wait_until(lambda: probe(worker.health_file, "ocr") == 0, "a worker that consumes again", 120)
    assert worker.process.poll() is None, "the same process"


def test_a_probe_without_a_file_fails(tmp_path: Path) -> None:
    assert probe(tmp_path / "none", "ocr") == 7
