"""`ledger worker ROLE`, `ledger beat` and `ledger health ROLE`: settings in, a running process or a verdict out."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ledger_tasks.cli.output import Json, emit, say
from ledger_tasks.errors import ConfigurationError, LedgerError, UsageError
from ledger_tasks.exposition import count_together
from ledger_tasks.roles import ROLES, Role

Concurrency = Annotated[int | None, typer.Option(help="Processes or threads; the role's setting by default.")]


def worker(
    role: Annotated[str, typer.Argument(help="publisher, ocr, collector or recognition")],
    concurrency: Concurrency = None,
) -> None:
    """Run one role: publisher, ocr, collector or recognition.

    Takes work until SIGTERM, then finishes and acknowledges what it has.

    Example: `ledger worker ocr --concurrency 2`
    """
    from ledger_tasks import settings as settings_of  # noqa: PLC0415

    known = _role(role)
    loaded = settings_of.load(getattr(settings_of, known.settings))
    if loaded.ledger_metrics_port is not None:
        count_together()
    from ledger_tasks.worker import run  # noqa: PLC0415 (it counts from its import on)

    _exit(run(known, loaded, concurrency))


def consume(concurrency: Concurrency = None) -> None:
    """Take receipts and read them: the same as `ledger worker ocr`.

    Example: `ledger receipts consume --concurrency 2`
    """
    worker("ocr", concurrency)


def collect(concurrency: Concurrency = None) -> None:
    """Write results to PostgreSQL: the same as `ledger worker collector`.

    Example: `ledger receipts collect`
    """
    worker("collector", concurrency)


def beat() -> None:
    """Run the clock that sends the timetable.

    Run one; a second one is harmless, since every tick guards itself.

    Example: `ledger beat`
    """
    from ledger_tasks.settings import BeatSettings, load  # noqa: PLC0415
    from ledger_tasks.worker import run_beat  # noqa: PLC0415

    run_beat(load(BeatSettings))


def health(
    role: Annotated[str, typer.Argument(help="beat, publisher, ocr, collector, recognition")],
    json: Json = False,
) -> None:
    """Say whether a role on this machine consumes (exit 0 or 7).

    Reads the file that the worker writes to `LEDGER_HEALTH_FILE`. A worker that holds deliveries because a volume, a
    disk, the database or the broker is away is well (0) and says what it waits for.

    Example: `LEDGER_HEALTH_FILE=/run/ledger/ocr.json ledger health ocr`
    """
    from ledger_tasks.health import read  # noqa: PLC0415
    from ledger_tasks.settings import load  # noqa: PLC0415
    from ledger_tasks.settings.parts import LogSettings  # noqa: PLC0415

    path: Path | None = load(LogSettings).ledger_health_file
    if path is None:
        raise ConfigurationError("LEDGER_HEALTH_FILE is not set", remedy="Set it as for the worker itself.")
    found = read(path, at=time.time())
    name = role if role == "beat" else _role(role).name
    verdict = found.state if found.role in {"", name} else f"written by {found.role}"
    document: dict[str, Any] = {"role": role, "state": verdict, "consuming": list(found.consuming), "pid": found.pid}
    document |= {"holding": found.holding}
    if json:
        emit(document)
    else:
        waits = f"waits for {found.holding} (ledger help {found.holding})" if found.holding else ""
        say(" ".join(part for part in (f"{role}: {verdict}", *found.consuming, waits) if part))
    if verdict != "ok":
        raise typer.Exit(7)


def _role(name: str) -> Role:
    if name not in ROLES:
        raise UsageError(f"no role is called {name}", remedy=f"Use one of: {', '.join(ROLES)}.")
    return ROLES[name]


def _exit(outcome: int | LedgerError) -> None:
    if isinstance(outcome, LedgerError):
        raise outcome
    raise typer.Exit(outcome)
