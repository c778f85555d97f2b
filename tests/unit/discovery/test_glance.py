import os

import pytest

from ledger_tasks.discovery.glance import glance
from ledger_tasks.discovery.walk import Folder

HERE = Folder("d/")


@pytest.fixture
def volumes(tmp_path):
    root, cache = tmp_path / "root", tmp_path / "cache"
    for folder in (root / "d", cache / "d"):
        folder.mkdir(parents=True)
    for name in "ab":
        (root / f"d/{name}.jpg").write_bytes(b"receipt")
        (cache / f"d/{name}.jpg.json").write_bytes(b"{}")
    return root, cache


def add(root, cache):
    (root / "d/c.jpg").touch()
    (cache / "d/c.jpg.json").touch()


def replace_with_the_same_times(root, _cache):
    path = root / "d/a.jpg"
    before = path.stat()
    path.write_bytes(b"another")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def swap(root, _cache):
    (root / "d/a.jpg").rename(root / "d/x.jpg")
    (root / "d/b.jpg").rename(root / "d/a.jpg")
    (root / "d/x.jpg").rename(root / "d/b.jpg")


def move_one_away_and_make_another(root, cache):
    (root / "d/a.jpg").rename(root / "kept.jpg")
    (root / "d/a.jpg").write_bytes(b"receipt")


CHANGES = [
    add,
    replace_with_the_same_times,
    swap,
    move_one_away_and_make_another,
    lambda root, _: (root / "d/a.jpg").unlink(),
    lambda root, _: (root / "d/a.jpg").write_bytes(b"changed"),
    lambda root, _: (root / "d/a.jpg").chmod(0o600),
    lambda _, cache: (cache / "d/a.jpg.json").write_bytes(b"[]"),
    lambda _, cache: (cache / "d/a.jpg.json").unlink(),
]


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_of_a_receipt_or_its_cache_changes_the_sums(volumes, change):
    before = glance(*volumes, HERE)
    assert glance(*volumes, HERE) == before
    assert before.sums[0] == 2
    change(*volumes)
    assert glance(*volumes, HERE).sums != before.sums


def test_a_receipt_without_a_cache_of_its_own_gives_no_sums(volumes):
    root, cache = volumes
    (cache / "d/b.jpg.json").unlink()
    assert glance(root, cache, HERE).sums is None
    assert glance(root, cache / "gone", HERE).sums is None


def test_other_files_and_folders_are_told_apart(volumes):
    root, cache = volumes
    (root / "d/notes.txt").touch()
    (root / "d/e").mkdir()
    os.mkfifo(root / "d/pipe.jpg")
    seen = glance(root, cache, HERE)
    assert (seen.unsupported, seen.folders, [each.reference for each in seen.invalid]) == (
        1,
        [Folder("d/e/")],
        ["d/pipe.jpg"],
    )


def test_no_descriptor_is_left_open(volumes):
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (a count)
    for folder in (HERE, Folder("gone/")):
        glance(*volumes, folder)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 (a count)
