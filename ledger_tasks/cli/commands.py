"""Every command of `ledger`: its words, the function that runs it, and its one-line help. Imports nothing of ours."""

from typing import Final, NamedTuple


class Command(NamedTuple):
    """`target` is `module:function` below ledger_tasks.cli, imported only when the command is called."""

    words: tuple[str, ...]
    target: str
    help: str


GROUPS: Final = {
    "receipts": "Find, queue, follow, correct and repair receipts.",
    "batches": "Follow batches of refreshes.",
    "ocr-cache": "Look after the OCR cache on the shared volume.",
    "database": "Create and migrate the PostgreSQL schemas.",
    "recognizer": "Our reference recognition services.",
    "recognition": "Submit files to recognition services, follow and retry their jobs.",
    "accounting": "Hand bookings to a bookkeeping program.",
    "backup": "Carry everything durable out of the database and the cache, and into new ones.",
    "dead": "Look at, replay and purge dead letters.",
    "dev": "Private RabbitMQ, PostgreSQL, NATS and S3 for this checkout.",
}
"""Group name -> one-line help."""

COMMANDS: Final = (
    Command(("receipts", "publish"), "receipts_publish:publish", "Find receipts and queue those that need work."),
    Command(("receipts", "process"), "receipts_publish:process", "The same; or read every receipt again."),
    Command(("receipts", "reprocess"), "refresh:reprocess", "Read one receipt again and replace what was extracted."),
    Command(("receipts", "list"), "receipts_list:list_", "List receipts with what was read of them."),
    Command(("receipts", "show"), "receipts_show:show", "Show one receipt: fields, items, booking, passes, attempts."),
    Command(
        ("receipts", "explain"), "receipts_explain:explain", "Say where a receipt is and why, and what to do next."
    ),
    Command(("receipts", "consume"), "worker:consume", "The same as `ledger worker ocr`."),
    Command(("receipts", "collect"), "worker:collect", "The same as `ledger worker collector`."),
    Command(("receipts", "review"), "receipts_review:review", "Go through the receipts that wait for a person."),
    Command(("receipts", "correct"), "receipts_correct:correct", "Correct what was read; it survives every rereading."),
    Command(("receipts", "retry"), "receipts_retry:retry", "Give a failed receipt three new attempts."),
    Command(("batches", "watch"), "batches:watch", "Follow a queued batch until each request has an outcome."),
    Command(("housekeeping",), "housekeeping:housekeeping", "Remove old files of the cache volume and old leases."),
    Command(("ocr-cache", "rebuild"), "refresh:rebuild", "Make OCR caches anew; extraction and status stay."),
    Command(("database", "upgrade"), "database:upgrade", "Bring schemas, database roles and grants up to date."),
    Command(("database", "rebuild-ingest"), "database:rebuild_ingest", "Build schema ingest anew from schema budget."),
    Command(("recognition", "submit"), "recognition:submit_file", "Store a file and queue its recognition."),
    Command(("recognition", "jobs"), "recognition:jobs", "List the newest recognition jobs."),
    Command(("recognition", "show"), "recognition:show", "Show a file with its attempts and documents."),
    Command(("recognition", "retry"), "recognition:retry", "Make a new attempt for failed files."),
    Command(("recognition", "status"), "recognition_status:status", "Say how jobs stand and what hinders them."),
    Command(("recognizer", "tabular"), "recognizer:tabular", "Read trial balances for the exchange."),
    Command(("recognizer", "image"), "recognizer:image", "Read pictures and PDF of receipts for the exchange."),
    Command(("serve",), "serve:serve", "Run the inbox, the HTTP API, the pages and /healthcheck."),
    Command(("flower",), "flower:flower", "Show workers, tasks and all our queues, read-only, behind a login."),
    Command(
        ("dead", "list"), "dead:list_", "List the letters of both dead queues, with code, remedy and next command."
    ),
    Command(("dead", "show"), "dead:show", "Show one letter in any state: why, what it said, and what to do next."),
    Command(("dead", "replay"), "dead:replay", "Send letters back to work, each with three new attempts."),
    Command(("dead", "purge"), "dead:purge", "Take letters out of their queue; body and reason stay in the database."),
    Command(
        ("accounting", "export"), "accounting:export", "Export bookings, and say what changed since the last time."
    ),
    Command(("backup", "export"), "backup:export", "Write everything durable to one tar."),
    Command(("backup", "import"), "backup:import_", "Bring a backup into an empty database and a cache."),
    Command(("verify",), "verify:verify", "Check files, caches, artifacts, markers and rows against each other."),
    Command(("rebuild",), "rebuild:rebuild", "Derive database and cache anew from the receipt files."),
    Command(("help",), "help_code:explain_code", "Explain a failure or review code."),
    Command(("status",), "status:status", "Account for every file, and show queues, ages and alarms."),
    Command(("doctor",), "doctor:doctor", "Examine settings, servers and volumes; each finding names its remedy."),
    Command(("eval",), "eval:evaluate", "Measure how well a folder of known receipts is read."),
    Command(("worker",), "worker:worker", "Run one role: publisher, ocr, collector or recognition."),
    Command(("beat",), "worker:beat", "Run the clock that sends the timetable."),
    Command(("dev", "up"), "dev:up", "Start private servers for this checkout, and the named roles."),
    Command(("dev", "down"), "dev:down", "End everything that `ledger dev up` started."),
    Command(("dev", "status"), "dev:status", "Say what of the last `ledger dev up` works (exit 7 when not)."),
    Command(("dev", "env"), "dev:env", "Print the environment that reaches the private servers."),
    Command(("health",), "worker:health", "Say whether a role on this machine consumes (exit 0 or 7)."),
)
