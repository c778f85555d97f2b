"""A cache that cannot be looked at is not missing, and one that cannot have its path lies at its hash."""

import errno
from pathlib import Path

import pytest

from ledger_tasks.discovery import caches
from ledger_tasks.errors import Infrastructure
from ledger_tasks.files.cache import cache_path, home_of, legacy_path
from tests.support.failing_calls import FOR_EVER, Calls, failing

SHA = "a" * 64


@pytest.mark.parametrize("name", ["EACCES", "EIO", "ENOTCONN", "ESTALE"])
def test_a_scan_takes_no_cache_for_missing_that_it_cannot_look_at(tmp_path, monkeypatch, name) -> None:
    monkeypatch.setattr(caches, "cache_index", lambda _connection, _paths: {})
    assert caches.present(None, tmp_path, {SHA: ["a.pdf", "folder/b.pdf", f"{'x' * 251}.pdf"]}) == set()
    failed = failing(Calls(0, FOR_EVER, getattr(errno, name)))
    with failed, pytest.raises(Infrastructure, match="CACHE_UNAVAILABLE"):
        caches.present(None, tmp_path, {SHA: ["a.pdf"]})


@pytest.mark.parametrize(
    ("reference", "fits"),
    [("a/b.pdf", True), (f"{'x' * 246}.pdf", True), (f"{'x' * 247}.pdf", False), (f"{'d/' * 2100}a.pdf", False)],
)
def test_a_cache_lies_at_its_path_or_at_its_hash(reference, fits) -> None:
    cache = Path("/cache")
    assert home_of(cache, reference, SHA) == (cache_path(cache, reference) if fits else legacy_path(cache, SHA))
