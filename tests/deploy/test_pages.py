"""The pages for operators: every command in them is one, every code, alert and test that they name exists."""

import ast
import re
from pathlib import Path

import pytest
import yaml

from contracts.receipts.codes import FailureCode
from tests.deploy.commands import parse
from tests.deploy.rendered import DEPLOY, render

README = (DEPLOY / "README.md").read_text()
THREATS = (DEPLOY / "THREATS.md").read_text()
RUNBOOK = (DEPLOY / "monitoring" / "RUNBOOK.md").read_text()
ROOT = DEPLOY.parent
STANDS_FOR = {"FILE": "a.tar", "REF": "a.pdf", "ID": "x", "CODE": "TIMEOUT"}


@pytest.mark.parametrize("text", sorted(set(re.findall(r"`ledger ([a-z][^`|]*)`", README))))
def test_each_command_of_the_runbook_is_one(text: str) -> None:
    parse([STANDS_FOR.get(word, word) for word in text.split()])


def test_each_failure_code_has_its_recovery() -> None:
    assert [code for code in FailureCode if f"`{code}`" not in README] == []


def test_each_alert_has_its_section() -> None:
    groups = yaml.safe_load((DEPLOY / "monitoring" / "alerts.yaml").read_text())["groups"]
    alerts = [rule["alert"] for group in groups for rule in group["rules"] if "alert" in rule]
    assert alerts
    assert [alert for alert in alerts if f"## {alert}\n" not in RUNBOOK] == []


def test_each_threat_names_tests_that_exist() -> None:
    rows = [line for line in THREATS.splitlines() if line.startswith("| ") and not line.startswith("| threat")]
    assert len(rows) >= 10
    for row in rows:
        named = re.findall(r"`(tests/\S+?)::(\w+)`", row)
        assert named, row
        for file, test in named:
            assert test in functions(ROOT / file), (file, test)


def functions(file: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef)}


def test_the_waves_are_those_that_the_runbook_tells() -> None:
    waves = {
        each["metadata"]["name"]: each["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"]
        for each in render("rabbitmq")
        if "argocd.argoproj.io/sync-wave" in each["metadata"].get("annotations", {})
    }
    assert waves == {
        "rabbitmq": "-2",
        "ledger-migrations": "-1",
        "receipt-worker": "0",
        "ocr-results-collector": "0",
        "ledger-recognition": "0",
        "ledger-beat": "1",
        "ledger-publisher": "1",
        "receipt-processor": "1",
    }
