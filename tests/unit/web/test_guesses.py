"""How long an address waits after wrong tokens."""

import pytest

from ledger_tasks.web.guesses import OVERALL, REMEMBERED, WINDOW_SECONDS, Guesses


def test_a_wrong_token_counts_for_five_minutes() -> None:
    guesses = Guesses(3)
    for at in (0.0, 100.0, 200.0):
        assert guesses.wait_seconds("192.0.2.1", at) == 0
        guesses.wrong("192.0.2.1", at)
    assert guesses.wait_seconds("192.0.2.1", 200.0) == WINDOW_SECONDS - 200
    assert guesses.wait_seconds("192.0.2.1", WINDOW_SECONDS - 0.5) == 1
    assert guesses.wait_seconds("192.0.2.1", WINDOW_SECONDS) == 0, "the first is forgotten"
    assert guesses.wait_seconds("192.0.2.2", 200.0) == 0


@pytest.mark.parametrize(("other", "waits"), [("2001:db8::ffff:1", True), ("2001:db8:0:1::1", False)])
def test_a_network_of_ipv6_is_one_caller(other: str, waits: bool) -> None:
    guesses = Guesses(1)
    guesses.wrong("2001:db8::1", 0.0)
    assert (guesses.wait_seconds(other, 1.0) > 0) is waits


def test_when_many_addresses_guess_each_has_one_guess_and_a_newcomer_is_let_in() -> None:
    guesses = Guesses(10)
    for number in range(OVERALL):
        guesses.wrong(f"198.51.{number // 250}.{number % 250}", 0.0)
    assert guesses.wait_seconds("198.51.0.1", 1.0) > 0
    assert guesses.wait_seconds("203.0.113.1", 1.0) == 0
    assert guesses.wait_seconds("198.51.0.1", WINDOW_SECONDS) == 0


def test_what_is_remembered_is_bounded() -> None:
    guesses = Guesses(1)
    for number in range(REMEMBERED + 1):
        guesses.wrong(f"host-{number}", 0.0)
    assert guesses.wait_seconds("host-0", 0.0) == 0
    assert guesses.wait_seconds("host-1", 0.0) > 0
