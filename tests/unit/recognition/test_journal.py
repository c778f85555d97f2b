"""A journal keeps what it was given, belongs to one process, and can be taken over when that has ended."""

import multiprocessing
import os
import signal

import pytest

from ledger_tasks.recognition.journal import Entry, adopt_journals, create_journal


def write_and_die(folder):
    journal = create_journal(folder, "dead")
    journal.append([Entry(1, "m", b"\x00\xff"), Entry(2, None, b"")])
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def abandoned(tmp_path):
    process = multiprocessing.get_context("fork").Process(target=write_and_die, args=(tmp_path,))
    process.start()
    process.join()
    return tmp_path


def test_entries_come_back_in_order_until_they_are_removed(tmp_path):
    journal = create_journal(tmp_path, "a")
    entries = [Entry(number, None, b"%d" % number) for number in range(1, 6)]
    journal.append(entries)
    assert journal.waiting(2) == entries[:2]
    assert journal.waiting(9, besides=[1, 3]) == [entries[1], *entries[3:]]
    journal.remove([1, 2])
    assert journal.settled(2)
    assert not journal.settled(3)
    assert len(journal) == 3


@pytest.mark.trap(28)
def test_what_was_appended_survives_kill_9_and_is_adopted(abandoned):
    (journal,) = adopt_journals(abandoned, ours=())
    assert journal.instance == "dead"
    assert journal.waiting(9) == [Entry(1, "m", b"\x00\xff"), Entry(2, None, b"")]


def test_a_journal_in_use_is_adopted_by_nobody(tmp_path):
    journal = create_journal(tmp_path, "a")
    assert adopt_journals(tmp_path, ours=()) == []
    journal.close()
    assert [each.instance for each in adopt_journals(tmp_path, ours=())] == ["a"]


def test_our_own_journals_are_not_adopted_again(abandoned):
    (journal,) = adopt_journals(abandoned, ours=())
    assert adopt_journals(abandoned, ours={journal.instance}) == []


def test_a_discarded_journal_leaves_no_file(abandoned):
    (journal,) = adopt_journals(abandoned, ours=())
    journal.discard()
    assert list(abandoned.iterdir()) == []


def test_a_failed_append_keeps_nothing_and_the_next_one_works(tmp_path):
    journal = create_journal(tmp_path, "a")
    journal.append([Entry(1, None, b"1")])
    with pytest.raises(Exception, match="UNIQUE"):
        journal.append([Entry(2, None, b"2"), Entry(1, None, b"again")])
    journal.append([Entry(3, None, b"3")])
    assert [entry.number for entry in journal.waiting(9)] == [1, 3]
