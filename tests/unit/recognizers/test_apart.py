"""A reader that crashes or hangs costs one file, never the service."""

import os
import time

import pytest

from ledger_tasks.recognizers.apart import read_apart
from ledger_tasks.recognizers.outcome import Found, Unreadable
from ledger_tasks.recognizers.tabular import read_workbook


def crash(content):
    os.abort()


def hang(content):
    time.sleep(60)


def greedy(content):
    return Found(bytearray(10**12))


def find(content):
    return Found([])


def test_what_was_found_comes_back():
    assert read_apart(find, b"") == Found([])


def test_a_refusal_comes_back_with_its_code():
    with pytest.raises(Unreadable) as refused:
        read_apart(read_workbook, b"%PDF")
    assert refused.value.code == "UNSUPPORTED_FORMAT"


@pytest.mark.parametrize(
    ("reader", "message"), [(crash, "crashed"), (greedy, "crashed"), (hang, "not read within 0.5 s")]
)
def test_a_reader_that_fails_is_a_file_that_cannot_be_read(reader, message):
    with pytest.raises(Unreadable, match=message) as refused:
        read_apart(reader, b"", seconds=0.5 if reader is hang else 30)
    assert refused.value.code == "READ_FAILED"
