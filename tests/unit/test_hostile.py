"""The hostile corpus is what it says: repeatable, large enough, and its messages are refused by the contract itself."""

import os
from pathlib import Path
from random import Random

import pytest

from contracts.receipts.codes import FailureCode
from contracts.receipts.work import decode_work
from contracts.wire import ContractError
from ledger_tasks.discovery.walk import Found, Invalid, Unsupported, walk
from tests.support import hostile
from tests.support.hostile import damaged
from tests.support.hostile.case import HostileMessage
from tests.support.hostile.names import plant

MESSAGES = list(hostile.messages())


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.name)
def test_every_hostile_message_is_refused_with_its_code_and_nothing_else_escapes(message: HostileMessage) -> None:
    with pytest.raises(ContractError) as refusal:
        decode_work(message.body)
    assert refusal.value.code in message.codes


def test_a_refusal_never_quotes_what_it_refuses() -> None:
    for message in MESSAGES:
        with pytest.raises(ContractError) as refusal:
            decode_work(message.body)
        assert "passwd" not in str(refusal.value)
        assert "\n" not in str(refusal.value)


def test_hostile_names_and_links_are_judged_one_by_one_and_end_no_walk(tmp_path: Path) -> None:
    expected = plant(tmp_path)
    kinds = {Found: "found", Invalid: "invalid", Unsupported: "unsupported"}
    seen = {os.fsencode(sight.reference): kinds[type(sight)] for sight in walk(tmp_path)}
    assert {name: seen.get(name, "nothing") for name in expected} == expected
    assert seen.keys() <= expected.keys()


def test_one_seed_damages_the_same_bits_and_another_seed_others() -> None:
    once, again, other = (list(damaged.files(Random(seed))) for seed in (7, 7, 8))
    assert once == again
    assert once != other


def test_verdicts_are_failure_codes_and_names_are_unique() -> None:
    cases = list(damaged.files(Random(7)))
    assert {code for case in cases for code in case.verdicts} - {hostile.READ} <= set(FailureCode)
    assert len({case.name for case in cases}) == len(cases)
    assert len({message.name for message in MESSAGES}) == len(MESSAGES)
