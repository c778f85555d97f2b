"""Writes a folder of slips with their truth: `python -m tests.support.slips OUT --language de --count 50 --seed 7`.

OUT holds `img/NNN.jpg` and `key/NNN.json` (company, address, date, total, currency), as `ledger eval OUT` reads it,
and `made.json`: how each slip was printed and what happened to it, which explains a miss.
"""

import argparse
import json
from pathlib import Path
from random import Random

from tests.support.slips.compose import compose
from tests.support.slips.languages import LANGUAGES, MIXED
from tests.support.slips.printed import Printed
from tests.support.slips.slip import Slip
from tests.support.slips.style import printed_date
from tests.support.slips.wear import worn

CLEAN_QUALITY, WORN_QUALITY = 92, 85


def main() -> None:
    """Read the command line and write the slips."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.slips", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--language", choices=[*LANGUAGES, MIXED], default="en")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--degraded", action="store_true", help="with noise, skew, shadow, perspective, fading, blur")
    asked = parser.parse_args()
    write(asked.out, asked.language, asked.count, asked.seed, degraded=asked.degraded)


def write(out: Path, language: str, count: int, seed: int, *, degraded: bool) -> None:
    """Write `count` slips; the same arguments give the same slips."""
    for folder in ("img", "key"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    made = {}
    for number in range(count):
        name = f"{number:03}"
        chance = Random(f"{seed} {language} {number}")
        printed = compose(language, chance)
        image, happened = worn(printed.picture(), chance) if degraded else (printed.picture(), ())
        image.save(out / "img" / f"{name}.jpg", quality=WORN_QUALITY if degraded else CLEAN_QUALITY)
        (out / "key" / f"{name}.json").write_text(_json(truth(printed.slip)), encoding="utf-8")
        made[name] = _made(printed) | {"worn": happened}
    (out / "made.json").write_text(_json(made), encoding="utf-8")


def truth(slip: Slip) -> dict[str, str]:
    """What a careful reader finds on the slip."""
    return {
        "company": slip.shop.name,
        "address": ", ".join(slip.shop.address),
        "date": slip.when.date().isoformat(),
        "total": str(slip.total),
        "currency": slip.currency,
    }


def _made(printed: Printed) -> dict[str, object]:
    """How the slip was printed: what explains a miss."""
    slip, style = printed.slip, printed.style
    return {
        "face": printed.press.face,
        "size": printed.press.size,
        "total": f"{style.words.total} {style.money.marked(slip.total)}",
        "date": printed_date(slip.when, style),
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    main()
