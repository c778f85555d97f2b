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

FOLDER = Path(__file__).parents[2] / "deploy" / "monitoring"
RULES = yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"][0]["rules"]
NAME = re.compile(r"\bledger_[a-z_]+")


def anchors() -> set[str]:
    return {line[3:].strip().lower() for line in (FOLDER / "RUNBOOK.md").read_text().splitlines() if line[:3] == "## "}


@pytest.mark.case("C079")
def test_every_rule_fires_when_it_must_and_keeps_still_when_it_must() -> None:
    promtool = shutil.which("promtool")
    if promtool is None and os.environ.get("CI") != "true":
        pytest.skip("promtool is not installed: run deploy/install.sh")
    told = subprocess.run(
        [promtool, "test", "rules", FOLDER / "alerts.test.yaml"], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stdout + told.stderr


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
