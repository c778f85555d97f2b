import errno
import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_tasks.errors import Infrastructure, Terminal
from ledger_tasks.files import source

CONTENT = b"TOTAL 12.50\n" * 1000
SHA = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "inbox"
    (root / "2026-08-14").mkdir(parents=True)
    (root / "2026-08-14" / "a.jpg").write_bytes(CONTENT)
    (tmp_path / "secret.jpg").write_bytes(b"outside")
    return root


def code_of(root, reference):
    with pytest.raises(Terminal) as caught, source.open_source(root, reference):
        pass
    return caught.value.code


def test_a_file_below_the_root_is_opened_hashed_and_read(root):
    with source.open_source(root, "2026-08-14/a.jpg") as file:
        assert source.content_hash(file) == SHA
        assert file.read(5) == b"TOTAL"
    assert source.read_verified(root, "2026-08-14/a.jpg", SHA, limit=len(CONTENT)) == CONTENT
    source.verify(root, "2026-08-14/a.jpg", SHA)


@pytest.mark.parametrize(
    "reference", ["../secret.jpg", "/etc/passwd", "a/./b.jpg", ".hidden.jpg", "a\\b.jpg", "a\0.jpg", ""]
)
def test_an_unsafe_path_is_never_looked_up(root, reference):
    assert code_of(root, reference) == "PATH_UNSAFE"


@pytest.mark.parametrize("target", ["../secret.jpg", "/etc/passwd", "2026-08-14/../../secret.jpg"])
def test_a_symlink_that_leaves_the_root_is_unsafe(root, target):
    (root / "link.jpg").symlink_to(target)
    assert code_of(root, "link.jpg") == "PATH_UNSAFE"


def test_a_folder_that_is_a_symlink_out_of_the_root_is_unsafe(root):
    (root / "out").symlink_to(root.parent)
    assert code_of(root, "out/secret.jpg") == "PATH_UNSAFE"


def test_a_loop_of_symlinks_is_unsafe(root):
    (root / "x.jpg").symlink_to("y.jpg")
    (root / "y.jpg").symlink_to("x.jpg")
    assert code_of(root, "x.jpg") == "PATH_UNSAFE"


@pytest.mark.parametrize("absolute", [True, False])
def test_a_symlink_that_stays_inside_the_root_is_another_path_of_the_receipt(root, absolute):
    (root / "b.jpg").symlink_to(root / "2026-08-14/a.jpg" if absolute else "2026-08-14/a.jpg")
    (root / "days").symlink_to("2026-08-14")
    source.verify(root, "b.jpg", SHA)
    source.verify(root, "days/a.jpg", SHA)


def test_a_root_that_is_itself_a_symlink_is_followed(root, tmp_path):
    (tmp_path / "mounted").symlink_to("inbox")
    source.verify(tmp_path / "mounted", "2026-08-14/a.jpg", SHA)


@pytest.mark.parametrize("reference", ["no.jpg", "no/a.jpg", "2026-08-14/a.jpg/b.jpg", "2026-08-14", "x" * 300])
def test_what_is_no_regular_file_is_missing(root, reference):
    assert code_of(root, reference) == "SOURCE_MISSING"


def test_a_fifo_does_not_hang_the_reader(root):
    os.mkfifo(root / "pipe.jpg")
    assert code_of(root, "pipe.jpg") == "SOURCE_MISSING"


def test_a_swap_between_resolving_and_opening_cannot_lead_out(root, monkeypatch):
    """The attacker replaces the folder by a symlink after it was judged: the open itself still refuses."""
    (root / "days").symlink_to("2026-08-14")
    judge = source._resolved

    def swap(base, reference):
        resolved = judge(base, reference)
        (root / "2026-08-14").rename(root / "moved")
        (root / "2026-08-14").symlink_to(root.parent)
        return resolved

    (root / "2026-08-14" / "secret.jpg").write_bytes(b"inside")
    monkeypatch.setattr(source, "_resolved", swap)
    assert code_of(root, "days/secret.jpg") in {"PATH_UNSAFE", "SOURCE_MISSING"}


def test_another_content_is_a_mismatch(root):
    (root / "2026-08-14" / "a.jpg").write_bytes(CONTENT + b"!")
    for check in (
        lambda: source.verify(root, "2026-08-14/a.jpg", SHA),
        lambda: source.read_verified(root, "2026-08-14/a.jpg", SHA, limit=10**6),
    ):
        with pytest.raises(Terminal) as caught:
            check()
        assert caught.value.code == "HASH_MISMATCH"


def test_a_file_over_the_limit_is_not_read(root):
    with pytest.raises(Terminal) as caught:
        source.read_verified(root, "2026-08-14/a.jpg", SHA, limit=10)
    assert caught.value.code == "IMAGE_TOO_LARGE"


def test_a_root_that_is_away_is_infrastructure(tmp_path):
    with pytest.raises(Infrastructure) as caught, source.open_source(tmp_path / "gone", "a.jpg"):
        pass
    assert caught.value.code == source.VOLUME_UNREADABLE


@pytest.mark.case("C008")
@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EACCES])
def test_a_file_that_cannot_be_read_is_infrastructure_and_names_no_path(root, monkeypatch, number):
    def fail(*_args):
        raise OSError(number, os.strerror(number), str(root / "a.jpg"))

    monkeypatch.setattr(source, "_open_plain", fail)
    with pytest.raises(Infrastructure) as caught, source.open_source(root, "2026-08-14/a.jpg"):
        pass
    assert caught.value.code == source.SOURCE_UNREADABLE
    assert str(root) not in caught.value.detail


def test_no_descriptor_is_left_open(root):
    (root / "link.jpg").symlink_to("../secret.jpg")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for reference in ("2026-08-14/a.jpg", "link.jpg", "no/no.jpg", "2026-08-14", "2026-08-14/a.jpg/x.jpg"):
        try:
            with source.open_source(root, reference):
                pass
        except Terminal:
            pass
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@given(st.text(max_size=40))
def test_no_text_opens_anything_outside_the_root(tmp_path_factory, text):
    root = tmp_path_factory.getbasetemp() / "nothing"
    root.mkdir(exist_ok=True)
    with pytest.raises(Terminal) as caught, source.open_source(root, text):
        pass
    assert caught.value.code in {"PATH_UNSAFE", "SOURCE_MISSING"}
