"""Every command of `ledger`: its words, the function that runs it, and its one-line help. Imports nothing of ours."""

from typing import Final, NamedTuple


class Command(NamedTuple):
    """`target` is `module:function` below ledger_tasks.cli, imported only when the command is called."""

    words: tuple[str, ...]
    target: str
    help: str


GROUPS: Final = {
    "receipts": "Find, queue, follow, correct and repair receipts.",
    "database": "Create and migrate the PostgreSQL schemas.",
    "dev": "Private RabbitMQ, PostgreSQL, NATS and S3 for this checkout.",
}
"""Group name -> one-line help."""

COMMANDS: Final = (
    Command(("receipts", "publish"), "receipts_publish:publish", "Find receipts and queue those that need work."),
    Command(("database", "upgrade"), "database:upgrade", "Bring schemas, database roles and grants up to date."),
    Command(("database", "rebuild-ingest"), "database:rebuild_ingest", "Build schema ingest anew from schema budget."),
    Command(("worker",), "worker:worker", "Run one role: publisher, ocr, collector or recognition."),
    Command(("beat",), "worker:beat", "Run the clock that sends the timetable."),
    Command(("dev", "up"), "dev:up", "Start private servers for this checkout, and the named roles."),
    Command(("dev", "down"), "dev:down", "End everything that `ledger dev up` started."),
    Command(("dev", "status"), "dev:status", "Say what of the last `ledger dev up` works (exit 7 when not)."),
    Command(("dev", "env"), "dev:env", "Print the environment that reaches the private servers."),
    Command(("health",), "worker:health", "Say whether a role on this machine consumes (exit 0 or 7)."),
)
