"""compose.yaml, read by the real Docker Compose: it is valid, and each service gets exactly what its role may know."""

import json
import os
import subprocess
import sysconfig
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from deploy.credentials import Addresses, make_secrets, servers, write_folder
from ledger_tasks.settings import load
from tests.deploy.commands import parse, settings_class
from tests.deploy.conftest import PASSWORDS
from tests.deploy.rendered import DEPLOY

COMPOSE = Path(sysconfig.get_path("purelib")) / "compose" / "docker-compose"


@cache
def services() -> dict[str, Any]:
    folder = Path("/tmp") / f"ledger-compose-{os.getpid()}"
    write_folder(folder, make_secrets(PASSWORDS, Addresses(), celery_events=True) | servers(PASSWORDS))
    try:
        done = subprocess.run(
            [COMPOSE, "--file", DEPLOY / "compose.yaml", "--profile", "*", "config", "--format", "json"],
            env={"LEDGER_SECRETS": str(folder), "HOME": str(folder), "PATH": os.defpath},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["services"]
    return found


def ours() -> dict[str, Any]:
    return {name: each for name, each in services().items() if each["image"].startswith("ledger/")}


@pytest.mark.trap(40)
def test_compose_accepts_the_file_and_every_part_is_there() -> None:
    wanted = {"rabbitmq", "postgresql", "nats", "objects", "flower", "beat", "publisher", "ocr", "collector"}
    assert wanted | {"recognition", "core", "recognizer-tabular", "recognizer-image"} <= services().keys()


@pytest.mark.parametrize("name", ours())
def test_each_command_is_one_and_starts_with_what_it_is_given(name: str) -> None:
    service = ours()[name]
    program, *words = service["command"]
    assert program == "ledger"
    parse(words)
    wanted = settings_class(words)
    assert wanted is not None
    with patch.dict(os.environ, service["environment"], clear=True):
        load(wanted)
    assert [key for key in service["environment"] if key.lower() not in wanted.model_fields] == []


def test_only_publisher_collector_and_core_reach_postgresql_each_as_itself() -> None:
    users = {
        name: each["environment"]["DATABASE_URL"].split("/")[2].split(":")[0]
        for name, each in ours().items()
        if "DATABASE_URL" in each.get("environment", {})
    }
    assert users == {
        "migrations": "ledger",
        "publisher": "ledger_publisher",
        "collector": "ledger_collector",
        "recognition": "ledger_core",
        "core": "ledger_core",
    }
    reach = {name for name, each in services().items() if "database" in each["networks"]}
    assert reach == users.keys() | {"postgresql", "passwords"}


def test_the_ocr_worker_is_in_the_brokers_network_alone() -> None:
    assert services()["ocr"]["networks"].keys() == {"broker"}
    assert set(services()["ocr"]["environment"]) == {
        *("RABBITMQ_URL", "RECEIPT_SOURCE_ROOT", "HOME_BUDGET_OCR_CACHE", "LEDGER_METRICS_PORT"),
    }


@pytest.mark.parametrize("name", ours())
def test_our_containers_keep_no_rights(name: str) -> None:
    service = ours()[name]
    assert service["user"] == "10001:10001"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_nothing_is_published_beyond_this_machine() -> None:
    ports = [port for each in services().values() for port in each.get("ports", [])]
    assert {port["host_ip"] for port in ports} == {"127.0.0.1"}
    assert {port["target"] for port in ports} == {8080, 5555, 9090}


def test_who_needs_a_server_waits_until_it_is_healthy() -> None:
    for name, service in services().items():
        for needed, how in service.get("depends_on", {}).items():
            assert how["condition"] in {"service_healthy", "service_completed_successfully"}, (name, needed)
            if how["condition"] == "service_healthy":
                assert "test" in services()[needed]["healthcheck"], needed


def test_grace_periods_are_those_of_the_pods() -> None:
    from tests.deploy.rendered import pod, render

    for name, workload in (("ocr", "receipt-worker"), ("collector", "ocr-results-collector")):
        seconds = pod(render("rabbitmq"), workload).spec["terminationGracePeriodSeconds"]
        assert services()[name]["stop_grace_period"] == f"{seconds // 60}m0s"


@pytest.mark.case("C085")
def test_flower_has_a_login_and_no_open_interface() -> None:
    given = services()["flower"]["environment"]
    assert given["LEDGER_API_TOKENS"].startswith("operator:read:")
    assert "--operate" not in services()["flower"]["command"]
    assert "FLOWER_UNAUTHENTICATED_API" not in given
    assert given["RABBITMQ_URL"].startswith("amqp://flower:")
