"""Every code that a command, page or answer of ours can show is explained by `ledger help`."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import contracts
import ledger_tasks
from contracts.receipts.codes import FailureCode
from ledger_tasks.cli.commands import COMMANDS
from ledger_tasks.explanations import EXPLANATIONS
from ledger_tasks.extraction.checks import Reason
from ledger_tasks.verification.finding import KINDS

CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
ELSEWHERE = {"devstack", "settings"}
"""Rooms whose words of this shape are variables of the environment."""

NO_CODES = {
    *("CPU_RUNTIME_CACHE_CAPACITY", "ENABLE_CPU_PINNING", "INFERENCE_NUM_THREADS", "NUM_STREAMS"),  # OpenVINO's
    *("LD_LIBRARY_PATH", "TESSDATA_PREFIX", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS"),
    *("OTEL_EXPORTER_OTLP_ENDPOINT", "PROMETHEUS_MULTIPROC_DIR", "SC_CLK_TCK"),
    "NEEDS_CHECK",  # a state of a file
}


def words() -> Iterator[tuple[str, str]]:
    """Every word of the shape of a code in our programs, and every value of a key `code`, with its file."""
    for package in (ledger_tasks, contracts):
        for path in Path(package.__path__[0]).rglob("*.py"):
            if ELSEWHERE & set(path.parts):
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                match node:
                    case ast.Constant(value=str(word)) if CODE.fullmatch(word):
                        yield word, path.name
                    case ast.Dict(keys=[ast.Constant(value="code"), *_], values=[ast.Constant(value=str(word)), *_]):
                        yield word, path.name


def test_every_code_in_our_programs_is_explained() -> None:
    found = dict(words())
    assert {"PDF_ENCRYPTED", "BOOKING_DIFFERS", "MAX_ATTEMPTS", "UNAUTHORIZED"} <= found.keys(), "the look finds codes"
    assert {word: file for word, file in found.items() if word not in NO_CODES | EXPLANATIONS.keys()} == {}
    assert found.keys() >= NO_CODES, "nothing is excused that is not there"


def test_failures_reviews_and_differences_are_explained() -> None:
    assert {*FailureCode, *Reason, *KINDS} <= EXPLANATIONS.keys()


def test_every_explanation_is_of_sentences_and_leads_to_a_command() -> None:
    known = {command.words for command in COMMANDS}
    for code, explanation in EXPLANATIONS.items():
        assert explanation.meaning.endswith("."), code
        assert explanation.remedy.endswith("."), code
        begin = tuple(explanation.next.split()[1:])
        assert begin[:2] in known or begin[:1] in known, (code, explanation.next)
