"""Hints travel in one file that is replaced whole; whatever else lies there teaches nothing."""

import pytest

from ledger_tasks.extraction.hints import Hints, MerchantHint
from ledger_tasks.files.hints import MAX_BYTES, NOTHING, hints_path, read_hints, write_hints

HINTS = Hints(merchants={"cornerstore": MerchantHint(name="Corner Store", date_order="MDY", currency="USD")})


def test_hints_come_back_with_a_revision_that_follows_their_content(tmp_path):
    assert write_hints(tmp_path, HINTS)
    first = read_hints(tmp_path)
    assert first.merchants == HINTS.merchants
    assert len(first.revision) == 12
    write_hints(tmp_path, Hints(merchants={"other": MerchantHint(currency="EUR")}))
    assert read_hints(tmp_path).revision != first.revision


def test_the_same_hints_are_not_written_again_and_none_at_all_make_no_file(tmp_path):
    assert not write_hints(tmp_path, NOTHING)
    assert not hints_path(tmp_path).exists()
    assert write_hints(tmp_path, HINTS)
    assert not write_hints(tmp_path, HINTS)


def test_hints_that_were_taken_back_are_gone(tmp_path):
    write_hints(tmp_path, HINTS)
    assert write_hints(tmp_path, NOTHING)
    assert not read_hints(tmp_path).merchants


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b"{}" + b" " * MAX_BYTES, b'{"version": 2, "merchants": {}}', b'{"merchants": {"a": 7}}'],
    ids=["empty", "list", "torn", "large", "later-version", "wrong"],
)
def test_a_file_that_is_not_understood_teaches_nothing(tmp_path, content):
    hints_path(tmp_path).parent.mkdir()
    hints_path(tmp_path).write_bytes(content)
    assert read_hints(tmp_path) == NOTHING
