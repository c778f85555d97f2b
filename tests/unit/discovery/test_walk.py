import errno
import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.identity import unsafe_reason
from contracts.receipts.work import decode_work, encode_work, process
from ledger_tasks.discovery import walk as walking
from ledger_tasks.discovery.walk import Found, Invalid, Unsupported, walk
from ledger_tasks.errors import Infrastructure


def sights(root, kind):
    return sorted(sight.reference for sight in walk(root) if isinstance(sight, kind))


def put(root, *references):
    for reference in references:
        path = root / reference
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def test_receipts_are_found_at_any_depth_and_in_any_case(tmp_path):
    names = ["a.pdf", "B.JPG", "d/c.jpeg", "d/e/f.Png", "g.tif", "h.TIFF", "i.heic", "j.heif", "k.webp"]
    put(tmp_path, *names)
    assert sights(tmp_path, Found) == sorted(names)


@pytest.mark.case("C010")
def test_other_files_are_unsupported_and_stay(tmp_path):
    names = ["a.json.old", ".DS_Store", "b.pdf.part", "pdf", "c.txt"]
    put(tmp_path, *names)
    assert sights(tmp_path, Unsupported) == sorted(names)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_hidden_receipts_appledouble_files_hidden_folders_and_our_proof_are_passed_over(tmp_path):
    put(tmp_path, ".a.jpg", "._b.jpg", ".trash/c.jpg", ".ledger-volume", "d.jpg")
    assert [sight.reference for sight in walk(tmp_path)] == ["d.jpg"]


def test_names_in_nfc_and_nfd_are_kept_as_they_are(tmp_path):
    names = {unicodedata.normalize(form, "Café Müller.pdf") for form in ("NFC", "NFD")}
    put(tmp_path, *names)
    assert set(sights(tmp_path, Found)) == names


def test_a_name_that_is_not_utf8_is_invalid_and_the_walk_goes_on(tmp_path):
    put(tmp_path, "good.jpg")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jpg")).touch()
    assert sights(tmp_path, Found) == ["good.jpg"]
    (invalid,) = (sight for sight in walk(tmp_path) if isinstance(sight, Invalid))
    assert "UTF-8" in invalid.reason


@pytest.mark.parametrize("name", ["a\nb.jpg", "a\\b.jpg", "a\x7f.jpg"])
def test_a_name_that_no_message_may_hold_is_invalid(tmp_path, name):
    put(tmp_path, name, "good.jpg")
    assert sights(tmp_path, Invalid) == [name]
    assert sights(tmp_path, Found) == ["good.jpg"]


def test_a_file_below_a_folder_with_such_a_name_is_invalid_too(tmp_path):
    put(tmp_path, "a\\b/c.jpg")
    assert sights(tmp_path, Invalid) == ["a\\b/c.jpg"]


def test_a_path_too_long_for_a_message_is_invalid(tmp_path):
    folder = "/".join(["я" * 120] * 12)
    put(tmp_path, f"{folder}/a.jpg")
    (sight,) = walk(tmp_path)
    assert isinstance(sight, Invalid)
    assert "too long" in sight.reason


def test_symlinks_inside_the_root_are_found_and_those_that_leave_it_are_invalid(tmp_path):
    root = tmp_path / "root"
    put(root, "a.jpg")
    put(tmp_path, "outside/b.jpg")
    (root / "in.jpg").symlink_to("a.jpg")
    (root / "out.jpg").symlink_to("../outside/b.jpg")
    (root / "folder").symlink_to("../outside")
    (root / "broken.jpg").symlink_to("nothing.jpg")
    assert sights(root, Found) == ["a.jpg", "in.jpg"]
    assert sights(root, Invalid) == ["broken.jpg", "folder", "out.jpg"]


def test_a_symlink_to_a_folder_inside_the_root_is_not_walked_twice(tmp_path):
    put(tmp_path, "d/a.jpg")
    (tmp_path / "again").symlink_to("d")
    (tmp_path / "d" / "loop").symlink_to("..")
    assert [sight.reference for sight in walk(tmp_path)] == ["d/a.jpg"]


def test_what_is_named_like_a_receipt_and_is_no_file_is_invalid(tmp_path):
    os.mkfifo(tmp_path / "pipe.jpg")
    (tmp_path / "folder.jpg").mkdir()
    assert sights(tmp_path, Invalid) == ["pipe.jpg"]


def test_a_folder_that_cannot_be_listed_is_invalid_and_the_walk_goes_on(tmp_path, monkeypatch):
    put(tmp_path, "bad/a.jpg", "good/b.jpg")
    listing = os.scandir

    def fail(path):
        if str(path).endswith("bad"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return listing(path)

    monkeypatch.setattr(walking.os, "scandir", fail)
    assert sights(tmp_path, Found) == ["good/b.jpg"]
    assert sights(tmp_path, Invalid) == ["bad/"]


def test_a_folder_that_vanishes_is_not_counted(tmp_path):
    put(tmp_path, "a/b.jpg", "c/d.jpg")
    steps = walk(tmp_path)
    first = next(steps).reference
    other = {"a/b.jpg": "c", "c/d.jpg": "a"}[first]
    for path in (tmp_path / other).iterdir():
        path.unlink()
    (tmp_path / other).rmdir()
    assert list(steps) == []


def test_a_root_that_cannot_be_listed_is_infrastructure(tmp_path):
    with pytest.raises(Infrastructure):
        list(walk(tmp_path / "gone"))


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=1, max_size=40).filter(lambda name: not set(name) & {0, 0x2F}))
def test_any_name_a_disk_can_hold_is_judged_and_what_is_found_fits_a_message(tmp_path_factory, name):
    root = tmp_path_factory.mktemp("names")
    Path(os.fsdecode(os.fsencode(root) + b"/" + name + b".jpg")).touch()
    for sight in walk(root):
        reference = os.fsdecode(name + b".jpg")
        assert sight.reference == reference
        if isinstance(sight, Found):
            assert unsafe_reason(reference) is None
            assert decode_work(encode_work(process("0" * 64, reference))).source_reference == reference
        else:
            assert isinstance(sight, Invalid)
            assert unsafe_reason(reference) is not None
