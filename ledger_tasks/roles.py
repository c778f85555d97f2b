"""What each role runs: its task modules by name, its queues, its pool. Importing this imports no stage."""

from dataclasses import dataclass
from typing import Final, Literal

from ledger_tasks.messaging.topology import RECEIPTS, RESULTS

RoleName = Literal["publisher", "ocr", "collector", "recognition"]


@dataclass(frozen=True, slots=True)
class Role:
    """A Celery worker of ours. `contract_task` takes every delivery of the contract queue; else ordinary tasks."""

    name: str
    settings: str
    modules: tuple[str, ...]
    queues: tuple[str, ...]
    pool: Literal["prefork", "threads"]
    contract_task: str | None = None


ROLES: Final[dict[str, Role]] = {
    "publisher": Role(
        "publisher",
        "PublisherSettings",
        ("ledger_tasks.discovery.tasks", "ledger_tasks.housekeeping.tasks"),
        ("ledger.v1.discovery", "ledger.v1.housekeeping"),
        "threads",
    ),
    "ocr": Role("ocr", "OcrSettings", ("ledger_tasks.ocr.tasks",), (RECEIPTS.work,), "prefork", "receipts.process"),
    "collector": Role(
        "collector",
        "CollectorSettings",
        ("ledger_tasks.collector.tasks",),
        (RESULTS.work,),
        "threads",
        "receipts.collect",
    ),
    "recognition": Role(
        "recognition",
        "RecognitionSettings",
        ("ledger_tasks.recognition.tasks",),
        ("recognition.v1.ticks.publish", "recognition.v1.ticks.watch", "recognition.v1.ticks.map"),
        "prefork",
    ),
}
