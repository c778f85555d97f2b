from hypothesis import given
from hypothesis import strategies as st

from ledger_tasks.discovery.summary import Summary

NUMBERS = st.integers(0, 10**6)


@given(st.builds(Summary, *[NUMBERS] * 7))
def test_discovered_is_the_sum_of_the_others_but_cache_missing(summary):
    document = summary.document()
    others = {name: value for name, value in document.items() if name not in {"discovered", "cache_missing"}}
    assert document["discovered"] == sum(others.values())


def test_the_names_are_public():
    assert sorted(Summary().document()) == [
        "already_queued",
        "cache_missing",
        "discovered",
        "exhausted",
        "growing",
        "invalid",
        "published",
        "skipped",
    ]
