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
    "recognition": "Submit files to recognition services, follow and retry their jobs.",
    "dev": "Private RabbitMQ, PostgreSQL, NATS and S3 for this checkout.",
}
"""Group name -> one-line help."""

COMMANDS: Final = (
    Command(("receipts", "publish"), "receipts_publish:publish", "Find receipts and queue those that need work."),
    Command(("database", "upgrade"), "database:upgrade", "Bring schemas, database roles and grants up to date."),
    Command(("database", "rebuild-ingest"), "database:rebuild_ingest", "Build schema ingest anew from schema budget."),
    Command(("recognition", "submit"), "recognition:submit_file", "Store a file and queue its recognition."),
    Command(("recognition", "jobs"), "recognition:jobs", "List the newest recognition jobs."),
    Command(("recognition", "show"), "recognition:show", "Show a file with its attempts and documents."),
    Command(("recognition", "retry"), "recognition:retry", "Make a new attempt for failed files."),
    Command(("recognition", "status"), "recognition:status", "Say how many jobs stand where."),
    Command(("serve",), "serve:serve", "Run the inbox, the HTTP API, the pages and /healthcheck."),
    Command(("worker",), "worker:worker", "Run one role: publisher, ocr, collector or recognition."),
    Command(("beat",), "worker:beat", "Run the clock that sends the timetable."),
    Command(("dev", "up"), "dev:up", "Start private servers for this checkout, and the named roles."),
    Command(("dev", "down"), "dev:down", "End everything that `ledger dev up` started."),
    Command(("dev", "status"), "dev:status", "Say what of the last `ledger dev up` works (exit 7 when not)."),
    Command(("dev", "env"), "dev:env", "Print the environment that reaches the private servers."),
    Command(("health",), "worker:health", "Say whether a role on this machine consumes (exit 0 or 7)."),
)
