"""`ledger doctor`: the configuration of this environment comes in, findings with remedies go out."""

from dataclasses import asdict
from typing import Annotated

import typer

from ledger_tasks import settings as settings_of
from ledger_tasks.cli.output import Json, emit, say, table
from ledger_tasks.clock import new_id, now
from ledger_tasks.doctor.finding import Finding, examined
from ledger_tasks.settings.parts import ManagementSettings, PrefetchSettings


def doctor(
    init: Annotated[bool, typer.Option("--init", help="Write the proofs of new volumes first.")] = False,
    json: Json = False,
) -> None:
    """Examine settings, broker, database, volumes, collector, times, objects and NATS; each finding names its remedy.

    Users who may not declare queues need RABBITMQ_MANAGEMENT_URL to see how they were declared.

    Exit code 9 when something is wrong, 0 with warnings only.

    Example: `ledger doctor --json`
    """
    from ledger_tasks.doctor.broker import examine_broker  # noqa: PLC0415 (each room imports its own driver)
    from ledger_tasks.doctor.collector import examine_collector  # noqa: PLC0415
    from ledger_tasks.doctor.database import examine_database  # noqa: PLC0415
    from ledger_tasks.doctor.exchange import examine_exchange  # noqa: PLC0415
    from ledger_tasks.doctor.objects import examine_objects  # noqa: PLC0415
    from ledger_tasks.doctor.times import examine_times  # noqa: PLC0415
    from ledger_tasks.doctor.volumes import examine_volumes  # noqa: PLC0415

    at = now()
    findings = [
        *examined(
            "broker",
            lambda: examine_broker(settings_of.load(settings_of.BrokerSettings), settings_of.load(ManagementSettings)),
        ),
        *examined("database", lambda: examine_database(settings_of.load(settings_of.DatabaseSettings), at)),
        *examined("volumes", lambda: examine_volumes(settings_of.load(settings_of.VolumeSettings), init=init)),
        *examined("collector", lambda: examine_collector(settings_of.load(PrefetchSettings))),
        *examined("times", lambda: examine_times(settings_of.load(settings_of.OcrSettings))),
        *examined("objects", lambda: examine_objects(_objects(), new_id())),
        *examined("NATS", lambda: examine_exchange(settings_of.load(settings_of.NatsSettings), at)),
    ]
    wrong = sum(1 for finding in findings if finding.verdict == "wrong")
    if json:
        emit({"findings": [asdict(finding) for finding in findings], "wrong": wrong})
    else:
        _show(findings)
    if wrong:
        raise typer.Exit(9)


def _objects() -> settings_of.ObjectSettings | None:
    enabled = settings_of.load(settings_of.NatsSettings).nats_enabled
    return settings_of.load(settings_of.ObjectSettings) if enabled else None


def _show(findings: list[Finding]) -> None:
    rows = [(each.verdict, each.check, each.detail, each.remedy) for each in findings]
    table(("", "Check", "Found", "Remedy"), rows)
    say("next: ledger status" if all(each.verdict != "wrong" for each in findings) else "next: mend what is wrong")
