"""Which merchant a reading means."""

import pytest

from ledger_tasks.extraction.hints import Hints, MerchantHint, merchant_key

CORNER, SECOND, NORTH = (MerchantHint(name=name) for name in ("Corner Store 1", "Corner Store 2", "North Market"))
HINTS = Hints(merchants={merchant_key(hint.name): hint for hint in (CORNER, SECOND, NORTH)})


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("CORNER STORE 1", CORNER),
        ("Corner 5tore 1", MerchantHint()),
        ("Corner Stove 1", CORNER),
        ("Corner Store 3", MerchantHint()),
        ("Nortn Market", NORTH),
        ("Norin Market", MerchantHint()),
        ("Market", MerchantHint()),
        ("", MerchantHint()),
    ],
)
def test_one_misread_letter_leaves_the_merchant_and_a_digit_tells_two_apart(read: str, meant: MerchantHint) -> None:
    assert HINTS.about(read) == meant


def test_a_name_between_two_merchants_is_neither() -> None:
    two = [MerchantHint(name=name) for name in ("Harbour Cafe", "Harbour Cape")]
    hints = Hints(merchants={merchant_key(hint.name): hint for hint in two})
    assert hints.about("Harbour Care") == MerchantHint()
