"""`python -m tests.bench [NAME ...]`: every module here called p*.py or scale.py has `run() -> list[Row]`."""

import importlib
import sys
from pathlib import Path

from tests.bench.harness import report


def main(names: list[str]) -> None:
    wanted = [name.lower() for name in names]
    modules = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem[0] in "ps")
    chosen = [stem for stem in modules if not wanted or stem.split("_")[0] in wanted]
    if not chosen:
        sys.exit(f"no benchmark is called {' '.join(names)}; there are {', '.join(modules)}")
    rows = []
    for stem in chosen:
        print(f"bench: {stem} ...", file=sys.stderr)
        rows += importlib.import_module(f"tests.bench.{stem}").run()
    report(rows, Path("bench-results.json"))


main(sys.argv[1:])
