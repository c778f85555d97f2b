"""Strangers' files meet the real reader process: each gets a right verdict, none crashes it, none gets out."""

import hashlib
from collections.abc import Iterator

import pytest

from contracts.receipts.codes import FailureCode
from ledger_tasks.ocr.reading import Reader
from tests.support import hostile
from tests.support.hostile.__main__ import OUTSIDE, verdict


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with Reader() as started:
        yield started


@pytest.mark.timeout(600)
@pytest.mark.case("C025")
@pytest.mark.case("C029")
@pytest.mark.matrix
def test_at_least_two_hundred_hostile_files_get_a_right_verdict_and_the_reader_lives(reader: Reader) -> None:
    files = list(hostile.files())
    found = {file.name: verdict(reader, file) for file in files}
    wrong = {file.name: found[file.name] for file in files if found[file.name] not in file.verdicts}
    assert wrong == {}
    assert len({hashlib.sha256(file.content).digest() for file in files}) >= 200
    assert set(found.values()) - {hostile.READ} <= set(FailureCode)
    assert not OUTSIDE.exists()
