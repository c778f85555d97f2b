"""The Dockerfile: linted, its targets are the images that manifests and Compose use, its steps are install.sh's."""

import json
import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy import rules
from tests.deploy.commands import parse
from tests.deploy.rendered import DEPLOY, render
from tests.support.debian import client_environment, debian, lend_clients

DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
ROOT = DEPLOY.parent
ENGINES = ("pytesseract", "rapidocr", "openvino", "cv2")
DATABASE = ("sqlalchemy", "psycopg", "alembic")
FORBIDDEN = {
    "publisher": (*ENGINES, "nats", "fastapi", "flower"),
    "beat": (*ENGINES, "nats", "fastapi", "flower"),
    "ocr": (*DATABASE, "nats", "fastapi", "flower"),
    "collector": (*ENGINES, "pdf2image", "nats", "fastapi", "flower"),
    "recognition": (*ENGINES, "fastapi", "flower"),
    "core": (*ENGINES, "flower"),
    "recognizers": (*DATABASE, "fastapi", "flower"),
    "flower": (*DATABASE, *ENGINES, "nats"),
}
"""Target -> what may not even be installed in it."""


def stages() -> dict[str, list[str]]:
    """Return each stage's own lines."""
    found: dict[str, list[str]] = {}
    for line in re.sub(r"\\\n\s*", "", DOCKERFILE).splitlines():
        if match := re.match(r"FROM (\S+) AS (\S+)", line):
            found[match[2]] = [f"FROM {match[1]}"]
        elif found and line and not line.startswith("#"):
            found[list(found)[-1]].append(line)
    return found


def test_the_linter_has_nothing_to_say() -> None:
    hadolint = Path(sysconfig.get_path("scripts")) / "hadolint"
    done = subprocess.run([hadolint, DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_every_image_of_the_manifests_is_a_target() -> None:
    used = {c["image"].partition("/")[2].partition(":")[0] for _, c in rules.our_containers(render("rabbitmq"))}
    assert used <= stages().keys()


TARGETS = [name for name, lines in stages().items() if any(line.startswith("CMD") for line in lines)]


@pytest.mark.parametrize("stage", TARGETS)
def test_a_target_starts_a_real_command_as_nobody(stage: str) -> None:
    lines = stages()[stage]
    program, *words = json.loads(next(line for line in lines if line.startswith("CMD")).removeprefix("CMD "))
    assert program == "ledger"
    parse(words)
    assert any(line.startswith("HEALTHCHECK") for line in lines)
    base = lines[0].removeprefix("FROM ")
    assert [line for line in stages()[base] if line.startswith("USER")][-1] == "USER 10001:10001"


def test_all_that_is_installed_comes_from_install_sh_and_the_locks() -> None:
    steps = [line.removeprefix("RUN ") for lines in stages().values() for line in lines if line.startswith("RUN")]
    assert [step for step in steps if not re.match(r"bash \S*deploy/install\.sh |install --directory ", step)] == []
    for step in steps:
        if match := re.search(r"install\.sh venv (\S+)", step):
            assert (ROOT / "requirements" / f"{match[1]}.txt").exists()


def test_only_what_an_image_needs_is_sent_to_the_builder() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    assert ignored[1] == "*", "an allow list"
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    for name in " ".join(copied).split():
        assert f"!{name}" in ignored


@pytest.fixture(scope="module")
def bookworm() -> Iterator[Path]:
    """A fresh minimal Debian 12, as the base image is, with what the Dockerfile copies."""
    with debian("bookworm", "ca-certificates") as base:
        tree = base.with_name(f"build-{os.getpid()}")
        try:
            subprocess.run(["cp", "-a", "--one-file-system", base, tree], check=True)
            subprocess.run(["mount", "--bind", "/proc", tree / "proc"], check=True)
            lend_clients(tree)
            for name in ("deploy", "requirements", "contracts", "db", "ledger_tasks"):
                shutil.copytree(ROOT / name, tree / "src" / name, ignore=shutil.ignore_patterns("__pycache__"))
            for name in ("pyproject.toml", "README.md", "LICENSE", "beat_schedule.py"):
                shutil.copy(ROOT / name, tree / "src" / name)
            yield tree
        finally:
            subprocess.run(["umount", "--lazy", tree / "proc"], check=True)
            shutil.rmtree(tree)


@pytest.mark.matrix
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("target", TARGETS)
def test_the_steps_of_a_target_work_in_a_bare_debian_and_bring_nothing_of_another_role(
    bookworm: Path, target: str
) -> None:
    for step in steps_of(target):
        inside(bookworm, f"cd /src && {step}")
    words = next(line for line in stages()[target] if line.startswith("CMD"))
    command = " ".join(json.loads(words.removeprefix("CMD ")))
    printed = inside(bookworm, f"PATH=/opt/ledger/bin:/usr/bin:/bin {command} --help")
    assert "Usage" in printed
    site = next((bookworm / "opt/ledger/lib").glob("python3*")) / "site-packages"
    installed = {each.name.lower() for each in site.iterdir()}
    assert [name for name in FORBIDDEN[target] if name in installed] == []
    assert "pip" not in installed
    if target in {"ocr", "recognizers"}:
        assert "rus" in inside(bookworm, "tesseract --list-langs")
    shutil.rmtree(bookworm / "opt/ledger")


def steps_of(target: str) -> list[str]:
    """Return the RUN steps of a target in order: those of its bases, then those of the stages that it copies from."""
    steps: list[str] = []
    for line in stages()[target]:
        if match := re.match(r"FROM (\S+)", line):
            steps += steps_of(match[1]) if match[1] in stages() else []
        elif match := re.match(r"COPY --from=(\S+)", line):
            steps += [step for step in steps_of(match[1]) if step not in steps]
        elif line.startswith("RUN "):
            steps.append(line.removeprefix("RUN "))
    return steps


def inside(tree: Path, command: str) -> str:
    done = subprocess.run(
        ["chroot", tree, "/bin/bash", "-c", command],
        env=client_environment() | {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout
