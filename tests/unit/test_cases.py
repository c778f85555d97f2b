"""The index of public cases and measured traps is complete: each is proven by a marked test, or cannot apply."""

from tests.support.cases import CANNOT_APPLY, known, proven


def test_every_case_and_every_trap_has_a_test_or_a_reason() -> None:
    tests = proven()
    silent = [case for case in known() if case not in tests and case not in CANNOT_APPLY]
    assert not silent
    assert not [case for case in CANNOT_APPLY if case in tests], "a case that is proven needs no excuse"
    assert set(tests) <= set(known())
