"""The committed locks: hashed, without an address, and each role's without what that role may not use."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).parents[2]
LOCKS = PROJECT / "requirements"
ROLES = ("publisher", "ocr", "collector", "recognition", "serve", "recognizers", "flower")


def packages(name: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+) ", (LOCKS / f"{name}.txt").read_text(), re.MULTILINE))


@pytest.mark.parametrize("lock", sorted(path.stem for path in LOCKS.glob("*.txt")))
def test_a_lock_holds_hashes_and_no_address(lock):
    text = (LOCKS / f"{lock}.txt").read_text()
    assert not re.search(r"://|^\s*-[a-z-]*(index|find-links|trusted)", text, re.MULTILINE)
    pinned = [block for block in re.split(r"\n(?=[a-z])", text) if "==" in block]
    assert pinned
    assert all("--hash=sha256:" in block for block in pinned)


@pytest.mark.parametrize("extra", [*ROLES, "dev"])
def test_a_lock_holds_all_that_the_project_asks_for(extra):
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    pinned = packages(extra)
    for line in [*project["dependencies"], *project["optional-dependencies"][extra]]:
        asked = Requirement(line)
        name = canonicalize_name(asked.name)
        assert name == "ledger-tasks" or asked.specifier.contains(pinned[name]), f"{line}: run `make lock`"


@pytest.mark.parametrize("role", ROLES)
def test_a_role_runs_the_versions_that_were_tested(role):
    assert packages(role).items() <= packages("dev").items()


def test_the_ocr_role_installs_no_database_driver():
    assert not packages("ocr").keys() & {"sqlalchemy", "psycopg", "psycopg-binary", "alembic", "nats-py"}


@pytest.mark.parametrize("role", ["publisher", "collector"])
def test_a_role_beside_ocr_installs_no_ocr_engine(role):
    assert not packages(role).keys() & {"rapidocr", "openvino", "pytesseract", "pypdfium2", "nats-py"}


@pytest.mark.trap(42)
@pytest.mark.parametrize("lock", ["ocr", "recognizers", "dev"])
def test_exactly_one_opencv_is_locked(lock):
    assert len([name for name in packages(lock) if name.startswith("opencv")]) == 1
