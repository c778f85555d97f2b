"""The receipts that ship with the project, read by the real reader and held against their truth."""

import json
from pathlib import Path

import pytest

from ledger_tasks.errors import Terminal
from ledger_tasks.ocr.reading import Reader

FOLDER = Path(__file__).parents[2] / "data" / "receipts"
TRUTH = json.loads((FOLDER / "truth.json").read_text(encoding="utf-8"))
STATUS = {"complete": "succeeded", "review": "review_required", "unreadable": "review_required"}


@pytest.fixture(scope="module")
def reader():
    made = Reader()
    yield made
    made.close()


@pytest.mark.parametrize("name", sorted(name for name, told in TRUTH.items() if told["status"] == "failed"))
def test_a_broken_sample_has_its_code(reader: Reader, name: str) -> None:
    with pytest.raises(Terminal) as caught:
        reader.read((FOLDER / name).read_bytes(), timeout=60)
    assert caught.value.code == TRUTH[name]["code"]


@pytest.mark.parametrize("name", sorted(name for name, told in TRUTH.items() if told["status"] != "failed"))
def test_a_sample_is_read_right_or_left_to_a_person(reader: Reader, name: str) -> None:
    truth = TRUTH[name]
    receipt = reader.read((FOLDER / name).read_bytes(), timeout=60).receipt
    assert STATUS[receipt.extraction_status] == truth["status"], receipt.review_reasons
    if truth["status"] == "succeeded":
        found = (receipt.transaction_date.value, receipt.total.value, receipt.currency.value)
        assert found == (truth["date"], truth["total"], truth["currency"])
