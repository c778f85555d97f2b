import errno
import hashlib
import os
import time

import pytest

from ledger_tasks.discovery import reading
from ledger_tasks.discovery.reading import Content, Gone, Growing, Unreadable, read
from ledger_tasks.errors import Infrastructure
from ledger_tasks.files import source
from ledger_tasks.files.stat_index import look


@pytest.fixture
def root(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"receipt")
    return tmp_path


def verdict(root, *, first=None, quiet=0.0):
    stat = first or look(f"{root}/a.jpg")
    (found,) = read(root, [("a.jpg", stat)], first_look=time.monotonic(), quiet=quiet)
    return found


def between_the_looks(monkeypatch, change):
    hashed = reading.content_hash

    def read_and_change(file):
        found = hashed(file)
        change()
        return found

    monkeypatch.setattr(reading, "content_hash", read_and_change)


def test_a_still_file_is_read(root):
    stat = look(f"{root}/a.jpg")
    assert verdict(root) == Content("a.jpg", stat, hashlib.sha256(b"receipt").hexdigest())


def test_the_second_look_comes_no_sooner_than_the_quiet_time_after_the_first(root):
    begun = time.monotonic()
    verdict(root, quiet=0.1)
    assert time.monotonic() - begun >= 0.1


def test_a_file_that_changed_since_the_first_look_grows(root):
    first = look(f"{root}/a.jpg")
    (root / "a.jpg").write_bytes(b"receipt and more")
    assert verdict(root, first=first) == Growing("a.jpg")


def test_a_file_that_changes_between_the_looks_grows(root, monkeypatch):
    between_the_looks(monkeypatch, lambda: (root / "a.jpg").write_bytes(b"receipt and more"))
    assert verdict(root) == Growing("a.jpg")


@pytest.mark.parametrize("when", ["before", "between"])
def test_a_file_that_vanishes_is_gone(root, monkeypatch, when):
    first = look(f"{root}/a.jpg")
    if when == "before":
        (root / "a.jpg").unlink()
    else:
        between_the_looks(monkeypatch, (root / "a.jpg").unlink)
    assert verdict(root, first=first) == Gone("a.jpg")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.ESTALE])
def test_a_file_that_cannot_be_opened_is_told_with_its_reason(root, monkeypatch, number):
    def fail(*_args):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(source, "_open_plain", fail)
    found = verdict(root)
    assert isinstance(found, Unreadable)
    assert errno.errorcode[number] in found.reason


def test_a_file_that_became_a_link_out_of_the_root_is_told(root, tmp_path_factory):
    first = look(f"{root}/a.jpg")
    outside = tmp_path_factory.mktemp("outside") / "b.jpg"
    outside.touch()
    (root / "a.jpg").unlink()
    (root / "a.jpg").symlink_to(outside)
    assert isinstance(verdict(root, first=first), Unreadable)


def test_a_root_that_goes_away_ends_the_reading(root):
    with pytest.raises(Infrastructure):
        read(root / "gone", [("a.jpg", look(f"{root}/a.jpg"))], first_look=0, quiet=0)
