"""PURE: which variables whom: the caller's environment and the stack's own addresses in, each role's environment out.

A role gets what its settings class has a field for, and nothing else: so no role holds another one's secret.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, get_args

from ledger_tasks.devstack.service import ServiceName
from ledger_tasks.settings import (
    BeatSettings,
    CollectorSettings,
    OcrSettings,
    PublisherSettings,
    RecognitionSettings,
    ServeSettings,
)
from ledger_tasks.settings.base import Settings

RoleName = Literal["beat", "publisher", "ocr", "collector", "recognition", "serve"]
ROLES: Final[tuple[RoleName, ...]] = get_args(RoleName)

SETTINGS: Final[Mapping[RoleName, type[Settings]]] = {
    "beat": BeatSettings,
    "publisher": PublisherSettings,
    "ocr": OcrSettings,
    "collector": CollectorSettings,
    "recognition": RecognitionSettings,
    "serve": ServeSettings,
}
LOGINS: Final[Mapping[RoleName, str]] = {
    "publisher": "ledger_publisher",
    "collector": "ledger_collector",
    "recognition": "ledger_core",
    "serve": "ledger_core",
}
"""Role -> the database role that it logs in as; a role without one has no database URL."""

ADDRESSES: Final[Mapping[ServiceName, str]] = {
    "rabbitmq": "RABBITMQ_URL",
    "postgresql": "DATABASE_URL",
    "nats": "NATS_URL",
    "s3": "AWS_ENDPOINT_URL",
}
"""Service -> the variable that, set by the caller, says that another one is to be used."""

_FOR_CLIENTS: Final = ("LEDGER_URL", "LEDGER_API_TOKEN", "RABBITMQ_MANAGEMENT_URL")
_PER_PROCESS: Final = "LEDGER_HEALTH_FILE"
_PLAIN: Final = frozenset(
    {"HOME", "LANG", "PATH", "PROMETHEUS_MULTIPROC_DIR", "TESSDATA_PREFIX", "TMPDIR", "TZ", "USER"}
)
_PLAIN_PREFIXES: Final = ("LC_", "OMP_", "OTEL_", "PYTHON", "SSL_", "XDG_")


def without_echo(caller: Mapping[str, str], own: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Leave out what `dev env` of this stack has put into the caller's shell: that is not the caller's wish."""
    ours = {(name, value) for each in own for name, value in each.items()}
    return {name: value for name, value in caller.items() if (name, value) not in ours}


def given(caller: Mapping[str, str]) -> set[ServiceName]:
    """Return the services whose address the caller has set."""
    return {service for service, variable in ADDRESSES.items() if caller.get(variable)}


def resolve(caller: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Return all that our processes understand: the caller's value where there is one, else the stack's."""
    theirs = {
        name: value
        for name, value in caller.items()
        if name in _FOR_CLIENTS or any(_understands(role, name) for role in ROLES)
    }
    resolved = {**own, **theirs}
    if "RABBITMQ_URL" in theirs and "RABBITMQ_MANAGEMENT_URL" not in theirs:
        resolved.pop("RABBITMQ_MANAGEMENT_URL", None)  # it would tell of the stack's own broker
    resolved.setdefault("LEDGER_API_TOKENS", f"dev:operate:{resolved['LEDGER_API_TOKEN']}")
    return resolved


def for_role(role: RoleName, resolved: Mapping[str, str], caller: Mapping[str, str]) -> dict[str, str]:
    """Return a role's environment: its own settings, and from the caller only what every program may know."""
    return for_every_program(caller) | {name: value for name, value in resolved.items() if _understands(role, name)}


def for_every_program(caller: Mapping[str, str]) -> dict[str, str]:
    """Return what any program may know: where programs are, the language, certificates, tuning."""
    return {name: value for name, value in caller.items() if name in _PLAIN or name.startswith(_PLAIN_PREFIXES)}


def _understands(role: RoleName, name: str) -> bool:
    field = name.lower().partition("__")[0]
    return name != _PER_PROCESS and field in SETTINGS[role].model_fields
