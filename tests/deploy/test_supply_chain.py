"""What others wrote and we ship: locked with hashes, listed, and under licences that we may ship."""

import json
import re
import subprocess
import sysconfig
from importlib.metadata import metadata
from pathlib import Path

import pytest

from tests.deploy.rendered import DEPLOY, pods, render
from tests.deploy.test_compose import services

ROOT = DEPLOY.parent
ROLES = ("publisher", "ocr", "collector", "recognition", "serve", "recognizers", "flower")
PERMISSIVE = re.compile(r"MIT|BSD|Apache|ISC|PSF|0BSD|Zlib|CC0", re.IGNORECASE)
WEAK = {"psycopg", "psycopg-binary", "certifi", "tqdm"}
"""LGPL (psycopg) and MPL: used as they come, never changed, replaceable by the reader of the image."""

IMAGES = {
    "rabbitmq": "MPL-2.0",
    "postgres": "PostgreSQL",
    "nats": "Apache-2.0",
    "chrislusf/seaweedfs": "Apache-2.0",
    "prom/prometheus": "Apache-2.0",
    "ledger": "MIT",
}


def locked(role: str) -> dict[str, list[str]]:
    """Return package -> hashes of a lock."""
    text = (ROOT / "requirements" / f"{role}.txt").read_text()
    blocks = re.split(r"^(?=[a-z])", text, flags=re.MULTILINE)
    return {
        match[1]: re.findall(r"--hash=(sha256:[0-9a-f]{64})", block)
        for block in blocks
        if (match := re.match(r"([a-z0-9-]+)==", block))
    }


def licence(name: str) -> str:
    found = metadata(name)
    classifiers = [each for each in found.get_all("Classifier") or [] if each.startswith("License")]
    stated = (found["License"] or "").split("\n")[0]
    return "; ".join(filter(None, (found["License-Expression"], *classifiers, stated)))


@pytest.mark.trap(41)
@pytest.mark.parametrize("role", [*ROLES, "dev"])
def test_every_package_is_locked_with_its_hashes_and_no_address(role: str) -> None:
    found = locked(role)
    assert [name for name, hashes in found.items() if not hashes] == []
    assert "://" not in (ROOT / "requirements" / f"{role}.txt").read_text()


@pytest.mark.parametrize("role", ROLES)
def test_every_licence_is_one_that_we_may_ship_and_none_is_agpl_or_gpl(role: str) -> None:
    for name in locked(role):
        stated = licence(name)
        assert not re.search(r"AGPL|Affero", stated), (name, stated)
        assert not re.search(r"(?<!L)GPL|(?<!Lesser )General Public", stated), (name, stated)
        assert PERMISSIVE.search(stated) or name in WEAK, (name, stated)


def test_the_ocr_lock_holds_no_database_driver_and_no_nats() -> None:
    assert not {"sqlalchemy", "psycopg", "psycopg-binary", "alembic", "nats-py"} & locked("ocr").keys()


def test_images_of_others_are_under_licences_that_we_know() -> None:
    used = {container["image"] for pod in pods(render("rabbitmq")) for container in pod.containers}
    used |= {service["image"] for service in services().values()}
    assert {image.rpartition(":")[0].removesuffix("/") for image in used if not image.startswith("ledger/")} <= set(
        IMAGES
    )


def test_the_bill_of_materials_of_a_role_names_every_package_with_version_and_hash(tmp_path: Path) -> None:
    program = Path(sysconfig.get_path("scripts")) / "cyclonedx-py"
    words = ["requirements", ROOT / "requirements" / "ocr.txt", "--pyproject", ROOT / "pyproject.toml"]
    subprocess.run(
        [program, *words, "--output-reproducible", "--output-file", tmp_path / "sbom.json"],
        check=True,
        capture_output=True,
    )
    bill = json.loads((tmp_path / "sbom.json").read_text())
    assert {each["name"] for each in bill["components"]} == set(locked("ocr"))
    assert all(each["version"] and each["externalReferences"][0]["hashes"] for each in bill["components"])
