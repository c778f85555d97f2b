"""Rules, runbook and dashboard speak of metrics that exist, and each rule is proven by a unit test of its own."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from ledger_tasks.metrics import NAMES
from ledger_tasks.settings.tokens import parse_tokens
from tests.deploy.rendered import config_maps, environment, find, pods, render
from tests.deploy.rules import SECRETS, our_containers
from tests.deploy.test_compose import services

FOLDER = Path(__file__).parents[2] / "deploy" / "monitoring"
RULES = yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"][0]["rules"]
WORKERS = ("publisher", "ocr", "collector", "recognition")
NAME = re.compile(r"\bledger_[a-z_]+")


def promtool(*words: str | Path) -> None:
    program = shutil.which("promtool")
    if program is None and os.environ.get("CI") != "true":
        pytest.skip("promtool is not installed: run deploy/install.sh")
    told = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr


def jobs(kind: str) -> dict[str, dict]:
    configuration = yaml.safe_load((FOLDER / f"prometheus-{kind}.yaml").read_text())
    return {job["job_name"]: job for job in configuration["scrape_configs"]}


def anchors() -> set[str]:
    return {line[3:].strip().lower() for line in (FOLDER / "RUNBOOK.md").read_text().splitlines() if line[:3] == "## "}


@pytest.mark.case("C079")
def test_every_rule_fires_when_it_must_and_keeps_still_when_it_must() -> None:
    promtool("test", "rules", FOLDER / "alerts.test.yaml")


def test_every_rule_has_a_test_a_section_in_the_runbook_and_metrics_that_exist() -> None:
    tests = yaml.safe_load((FOLDER / "alerts.test.yaml").read_text())["tests"]
    fired = {case["alertname"] for test in tests for case in test["alert_rule_test"] if case.get("exp_alerts")}
    assert fired == {rule["alert"] for rule in RULES}
    for rule in RULES:
        assert rule["annotations"]["runbook_url"].endswith(f"#{rule['alert'].lower()}")
        assert set(NAME.findall(rule["expr"])) <= NAMES, rule["alert"]
    assert anchors() == {rule["alert"].lower() for rule in RULES}


def test_every_metric_of_the_dashboard_exists_and_every_metric_is_shown() -> None:
    panels = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
    shown = {name for panel in panels for target in panel["targets"] for name in NAME.findall(target["expr"])}
    assert shown == NAMES


@pytest.mark.parametrize("kind", ["compose", "kubernetes"])
def test_prometheus_takes_the_configuration(kind: str, tmp_path: Path) -> None:
    text = (FOLDER / f"prometheus-{kind}.yaml").read_text()
    # Debian builds Prometheus without its Kubernetes client; all else is read as it stands.
    discovery = "kubernetes_sd_configs: [{role: pod, namespaces: {names: [ledger]}}]"
    (tmp_path / "prometheus.yaml").write_text(text.replace(discovery, "static_configs: [{targets: []}]"))
    promtool("check", "config", "--syntax-only", tmp_path / "prometheus.yaml")


def test_with_compose_every_process_that_counts_is_scraped_in_a_network_that_both_are_in() -> None:
    counting = {
        f"{name}:{each['environment']['LEDGER_METRICS_PORT']}"
        for name, each in services().items()
        if "LEDGER_METRICS_PORT" in (each.get("environment") or {})
    }
    (workers,) = jobs("compose")["ledger-workers"]["static_configs"]
    assert set(workers["targets"]) == counting == {f"{role}:9464" for role in WORKERS}
    for job in jobs("compose").values():
        for target in job["static_configs"][0]["targets"]:
            assert services()[target.partition(":")[0]]["networks"].keys() & services()["prometheus"]["networks"].keys()
    assert services()["publisher"]["environment"]["CANARY_SECONDS"] == "300"


def test_in_a_cluster_every_process_that_counts_names_its_port_and_lets_prometheus_in() -> None:
    resources = render("rabbitmq")
    (rule,) = find(resources, "NetworkPolicy", "metrics")["spec"]["ingress"]
    open_port = rule["ports"][0]["port"]
    counting = set()
    for pod, container in our_containers(resources):
        if container["command"][1] == "worker":
            given = environment(container, config_maps(resources), SECRETS)
            assert {"name": "metrics", "containerPort": int(given["LEDGER_METRICS_PORT"])} in container["ports"], (
                pod.name
            )
            assert int(given["LEDGER_METRICS_PORT"]) == open_port
            counting.add(container["command"][2])
    assert counting == set(WORKERS)
    ports = {port["name"] for pod in pods(resources) for c in pod.containers for port in c.get("ports", [])}
    wanted = {
        step["regex"]
        for job in jobs("kubernetes").values()
        for step in job["relabel_configs"]
        if step["source_labels"] == ["__meta_kubernetes_pod_container_port_name"]
    }
    assert wanted == {"http", "metrics", "prometheus"} <= ports
    publisher = next(container for pod, container in our_containers(resources) if pod.name == "ledger-publisher")
    assert environment(publisher, config_maps(resources), SECRETS)["CANARY_SECONDS"] == "300"


def test_prometheus_has_a_token_of_its_own_that_may_only_read() -> None:
    tokens, wrong = parse_tokens(SECRETS["core-api"]["LEDGER_API_TOKENS"])
    assert wrong == []
    (own,) = (token for token in tokens if token.secret.get_secret_value() == SECRETS["prometheus"]["token"])
    assert (own.name, own.scope) == ("prometheus", "read")
