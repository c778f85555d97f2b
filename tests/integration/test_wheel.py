"""The wheel, in an environment of its own outside the checkout, with the dependencies that it declares."""

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
UV = Path(sysconfig.get_path("scripts")) / "uv"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(UV, "build", "-q", "--no-build-isolation", "--python", sys.executable, "-o", folder, PROJECT)
    return next(folder.glob("*.whl"))


@pytest.mark.trap(43)
def test_the_installed_wheel_runs_outside_the_checkout(wheel, tmp_path):
    python = tmp_path / "environment" / "bin" / "python"
    run(UV, "venv", "-q", "--python", sys.executable, tmp_path / "environment")
    run(UV, "pip", "install", "-q", "--python", python, "--constraint", PROJECT / "requirements" / "dev.txt", wheel)
    for command in ("ledger", "ledger-tasks"):
        assert "receipts" in run(python.with_name(command), "--help", cwd=tmp_path)
    run(python, "-c", "import beat_schedule, contracts.wire, db, ledger_tasks.app", cwd=tmp_path)


def test_the_wheel_holds_what_is_not_python(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "db/roles.sql" in names
    assert any(name.startswith("db/migrations/versions/") for name in names)
    assert any(name.startswith("contracts/") and name.endswith(".json") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "deploy/"))]


def run(*words: object, cwd: Path | None = None) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=cwd, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
