"""A path that a message or an index cannot hold is invalid by name, and the files beside it are found."""

import os
import random
import string

import pytest

from ledger_tasks.discovery.walk import Found, Invalid, walk


def deep(root, names):
    """Make a file below nested folders one step at a time: the whole path would be too long for one call."""
    here = os.open(root, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("a.pdf", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["".join(random.Random(n).choices(string.ascii_letters, k=240)) for n in range(13)], Invalid),
        (["x" * 240] * 13, Found),
    ],
)
def test_a_path_of_3000_letters_is_found_when_an_index_can_hold_it(tmp_path, names, kind):
    (tmp_path / "short.pdf").write_bytes(b"")
    deep(tmp_path, names)
    found = {type(sight) for sight in walk(tmp_path) if not getattr(sight, "reference", "").startswith("short")}
    assert found == {kind}
    assert any(isinstance(sight, Found) and sight.reference == "short.pdf" for sight in walk(tmp_path))
