"""What an examination says: one finding a check, with the remedy where something is wrong."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from ledger_tasks.errors import ConfigurationError, DependencyDownError, Infrastructure

Verdict = Literal["ok", "warning", "wrong", "skipped"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`check` names what was looked at; `remedy` is empty when nothing is to be done."""

    check: str
    verdict: Verdict
    detail: str
    remedy: str = ""


Examination = Callable[[], Iterable[Finding]]


def examined(check: str, examination: Examination) -> list[Finding]:
    """Run one examination; a thing that is away or not configured is itself a finding."""
    try:
        return list(examination())
    except ConfigurationError as error:
        return [Finding(check, "wrong", error.message, error.remedy)]
    except DependencyDownError as error:
        return [Finding(check, "wrong", error.message, error.remedy)]
    except Infrastructure as error:
        return [Finding(check, "wrong", f"{error.code}: {error.detail}", "Start or repair it, then run it again.")]
