import pytest

from contracts.identity import batch_cache_request, batch_reprocess_request
from ledger_tasks.discovery.batch import Batch, Source, find_sources, without_cache
from ledger_tasks.discovery.publishing import Publication, send, trouble_of
from ledger_tasks.messaging.flight import Fate
from ledger_tasks.messaging.publish import BrokerAwayError

BATCH = "840023b1-a078-4914-b074-81bd7129bb75"
REFERENCE = "2026-08-14/receipts_20260814_0001.pdf"


@pytest.mark.parametrize(
    ("fate", "confirmed", "code"),
    [
        (Fate(confirmed={0}, unroutable={1}), 1, 9),
        (Fate(unroutable={0}, unknown={1}), 0, 9),
        (Fate(confirmed={0}, unknown={1}, unsent={2}), 1, 8),
        (Fate(unknown={0}), 0, 8),
        (Fate(unsent={0}), 0, 7),
        (Fate(refused={0}), 0, 7),
        (Fate(unsent={0}), 5, 4),
        (Fate(confirmed={0}, refused={1}), 1, 4),
    ],
)
def test_what_is_not_confirmed_decides_the_exit_code_and_names_the_safe_rerun(fate, confirmed, code):
    trouble = trouble_of(fate, confirmed, rerun="ledger receipts publish")
    assert trouble.exit_code == code
    assert f"{confirmed} confirmed" in trouble.message
    assert trouble.remedy
    assert trouble.next_command == ("ledger doctor" if code == 9 else "ledger receipts publish")


def test_what_is_all_confirmed_is_no_trouble():
    assert trouble_of(Fate(confirmed={0, 1}), 2, rerun="") is None


def test_a_broker_that_is_away_leaves_everything_unsent():
    class Away:
        def attempt(self, _messages):
            raise BrokerAwayError

    works = Batch(BATCH, "cache_only", (Source(REFERENCE, "a" * 64), Source("b.pdf", "b" * 64))).works()
    assert send(Away(), [Publication(work, BATCH) for work in works]).unsent == {0, 1}


def test_a_batch_makes_the_same_messages_each_time_with_the_fixed_ids():
    sources = (Source(REFERENCE, "a" * 64), Source("b.pdf", "b" * 64))
    rebuilt = list(Batch(BATCH, "cache_only", sources).works())
    assert rebuilt == list(Batch(BATCH, "cache_only", sources).works())
    assert rebuilt[0].request_id == "83ac198b-6f84-5e45-8abe-007595651ac1" == batch_cache_request(BATCH, REFERENCE)
    assert [(work.batch_index, work.batch_total) for work in rebuilt] == [(1, 2), (2, 2)]
    refreshed = list(Batch(BATCH, "reprocess", sources).works())
    assert refreshed[0].request_id == "9b28fe12-eac0-527d-8e07-aa79c74ad998"
    assert refreshed[1].request_id == batch_reprocess_request(BATCH, "b.pdf")
    assert Batch(BATCH, "reprocess", sources).requests()[0] == ("a" * 64, refreshed[0].request_id)


def test_sources_are_unique_by_content_in_the_order_of_paths_and_bad_ones_are_told(tmp_path):
    for name, content in (("c.jpg", b"1"), ("a.jpg", b"2"), ("b.jpg", b"1"), ("n.txt", b"3")):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "out.jpg").symlink_to("/etc/passwd")
    told = []
    found = find_sources(tmp_path, lambda _: None, lambda reference, _: told.append(reference))
    assert [(source.reference, source.copies) for source in found] == [("a.jpg", ()), ("b.jpg", ("c.jpg",))]
    assert told == ["out.jpg"]
    assert without_cache(tmp_path, found) == found
