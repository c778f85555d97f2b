"""The index of public cases and measured traps: `python -m tests.support.cases` prints which test proves which."""

import re
from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parents[1]
CASES = (
    *range(1, 9), 10, *range(14, 23), 24, *range(25, 28), 29, 31, *range(33, 40), *range(41, 46), 48, 49, 50, 52, 53,
    *range(54, 63), *range(64, 67), *range(68, 76), *range(77, 83), 83, 85, *range(86, 90), 91, 92, 93, 94,
    *range(96, 105), 107, 108, 109, 110,
)  # fmt: skip
TRAPS = range(1, 44)

CANNOT_APPLY = {
    "C016": "a receipt's identity is the hash of its original bytes, and nothing of ours rewrites a source file",
    "C050": "no language model produces fields; what the reader says is validated by the contract's own models",
    "C103": "one source is one hash, and its lock makes its work serial; different sources run in parallel",
    "trap 5": "a speed: `make bench NAME=p1` holds ours against it",
    "trap 20": "celery-batches is in no lock",
    "trap 22": "a speed: `make bench NAME=p4` holds ours against it",
    "trap 30": "a speed: `make bench NAME=p8` holds ours against it",
    "trap 36": "how RabbitMQ 4.0 comes to a machine: without it `make test-matrix` runs nothing",
}
"""Why a case or trap has no test."""

_MARK = re.compile(r'mark\.(?:case\("(C\d{3})"\)|trap\((\d+)\))')
_TEST = re.compile(r"(?:async )?def (test_\w+)")


def proven() -> dict[str, list[str]]:
    """Return case or trap -> names of the tests that carry its mark."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        waiting: list[str] = []
        for line in path.read_text().splitlines():
            waiting += [case or f"trap {int(trap)}" for case, trap in _MARK.findall(line)]
            test = _TEST.match(line.strip())
            if test and waiting:
                for each in waiting:
                    found[each].append(f"{path.relative_to(TESTS)}::{test[1]}")
                waiting = []
    return dict(found)


def known() -> list[str]:
    """Return the ids of all cases and traps, in order."""
    return [*(f"C{number:03}" for number in CASES), *(f"trap {number}" for number in TRAPS)]


def main() -> None:
    tests = proven()
    for each in known():
        for line in tests.get(each, [CANNOT_APPLY.get(each, "OPEN: no test")]):
            print(f"{each}  {line}")


if __name__ == "__main__":
    main()
