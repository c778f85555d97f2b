"""Any JSON in, JSON that PostgreSQL takes out, the same otherwise."""

from hypothesis import given
from hypothesis import strategies as st

from ledger_tasks.recognition.submission import key_name
from ledger_tasks.recognition.text import storable

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet="a\0é"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="a\0"), inner, max_size=3),
)


@given(JSON)
def test_nothing_but_nul_is_changed(value):
    cleaned = storable(value)
    assert "\0" not in repr(cleaned).replace("\\x00", "\0")
    assert storable(cleaned) == cleaned
    if "\\x00" not in repr(value):
        assert cleaned == value


@given(st.text())
def test_any_name_becomes_one_safe_segment_of_a_key(name):
    key = key_name(name)
    assert key not in {"", ".", ".."}
    assert "/" not in key
    assert "\0" not in key
    assert len(key) <= 140
