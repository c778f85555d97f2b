"""What the README shows is what happens: its commands run on real servers, and print what it prints."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.servers import throwaway_stack

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
OURS = re.compile(r"^(LEDGER|RABBITMQ|DATABASE|NATS|RECEIPT|HOME_BUDGET|OCR|OBJECT|AWS|RECOGNITION|OPENBAO|COLUMNS)")

WITH_A_STACK_OF_ITS_OWN = """
ledger() { if [ "$1" = dev ]; then command ledger "$@" --dir "$STACK"; else command ledger "$@"; fi; }
"""
"""The tour names no folder, since a person has one stack for each checkout; a test must not touch that one."""

VARIABLE = (
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID"),
    (r"\d{4}-\d{2}-\d{2}T[0-9:.]+\+00:00", "MOMENT"),
    (r"<file id>", "ID"),
    (r"[━─]+", "─"),
    (r" +", " "),
)
"""Ids and moments differ from run to run, and with their length the width of a table."""


@dataclass(frozen=True)
class Step:
    """A command of the tour, and what the README shows of its output."""

    command: str
    shown: tuple[str, ...]


def tour() -> Iterator[Step]:
    section = README.partition("## The first five minutes")[2].partition("\n## ")[0]
    for block in re.findall(r"```console\n(.*?)```", section, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            yield Step(command, tuple(shown))


def plain(line: str) -> str:
    for pattern, name in VARIABLE:
        line = re.sub(pattern, name, line)
    return line.strip()


@pytest.mark.timeout(300)
def test_the_first_five_minutes_are_as_the_readme_tells_them(tmp_path: Path) -> None:
    steps = list(tour())
    assert len(steps) > 10
    lines = [f"{{ {step.command}\n}} >{tmp_path}/{number} 2>&1" for number, step in enumerate(steps)]
    environment = {name: value for name, value in os.environ.items() if not OURS.match(name)}
    with throwaway_stack("readme") as stack:
        script = "set -e\n" + WITH_A_STACK_OF_ITS_OWN + "\n".join(lines)
        ended = subprocess.run(
            ["bash", "-c", script], env=environment | {"STACK": str(stack.home.folder)}, cwd=ROOT, check=False
        )
    found = [file.read_text() if (file := tmp_path / str(number)).exists() else "" for number in range(len(steps))]
    assert ended.returncode == 0, found
    for step, output in zip(steps, found, strict=True):
        if step.shown:
            # Receipts that end at the same moment stand in either order.
            assert sorted(map(plain, step.shown)) == sorted(map(plain, output.splitlines())), step.command


@pytest.mark.matrix
@pytest.mark.timeout(400)
def test_the_demo_prints_the_table_that_the_readme_shows() -> None:
    shown = README.partition("```\ndemo: starting")[2].partition("```")[0].splitlines()[1:]
    words = [sys.executable, "-m", "ledger_tasks.devstack.demo", "tests/data/receipts"]
    unbuffered = os.environ | {"PYTHONUNBUFFERED": "1"}  # or its two streams come in another order
    done = subprocess.run(
        words, cwd=ROOT, env=unbuffered, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    )
    printed = iter(map(plain, done.stdout.splitlines()))
    missing = [line for line in shown if line != "..." and plain(line) not in printed]
    assert missing == [], "each line comes, in this order"
