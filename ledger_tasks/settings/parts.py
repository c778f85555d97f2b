"""What a role may be given: broker, database, volumes, NATS, object store. A role's class is a sum of these."""

import re
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from ledger_tasks.clock import now
from ledger_tasks.recognition.subjects import expiry, same_subjects, wrong_credentials
from ledger_tasks.settings.base import Settings
from ledger_tasks.settings.tokens import ApiToken, parse_tokens

Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]

SAFE_PREFETCH: Final = 32
"""Deliveries that a connection may give back at once when it dies. After a crash of the broker, quorum queues (3.10.8,
4.0.5) replay the return of more in another order and settle the wrong ones: messages are lost.
"""


class LogSettings(Settings):
    """How much is logged, and where a worker proves that it consumes."""

    ledger_log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    ledger_health_file: Path | None = None


class BrokerSettings(LogSettings):
    """The RabbitMQ side. The URL carries a password: it is a secret."""

    rabbitmq_url: SecretStr
    ledger_celery_events: bool = True
    ledger_metrics_port: Annotated[int, Field(gt=0, lt=65536)] | None = None
    """Where this process answers Prometheus; without it nothing is exposed."""
    receipt_retry_seconds: Seconds = 60
    """Delay of the retry queues; anything but 60 is for tests, in a virtual host of their own."""
    hold_seconds: Seconds = 120
    """How long a delivery waits inside the task for infrastructure to come back before it is handed back."""


class ManagementSettings(LogSettings):
    """For commands of operators: RabbitMQ's management API and the cache volume, each optional."""

    rabbitmq_management_url: SecretStr | None = None
    home_budget_ocr_cache: Path | None = None


class ExplainSettings(LogSettings):
    """For `ledger receipts explain`: the two volumes and the periods that its words name."""

    receipt_source_root: Path
    home_budget_ocr_cache: Path
    receipt_quiet_seconds: Seconds = 2
    receipt_retry_seconds: Seconds = 60


class TokenSettings(LogSettings):
    """Who may call the HTTP API, see the pages, and see Flower."""

    ledger_api_tokens: SecretStr = SecretStr("")

    @property
    def api_tokens(self) -> list[ApiToken]:
        """Return the tokens."""
        return parse_tokens(self.ledger_api_tokens.get_secret_value())[0]

    def problems(self) -> list[str]:
        """Add tokens that cannot be read."""
        return [*super().problems(), *parse_tokens(self.ledger_api_tokens.get_secret_value())[1]]


class PrefetchSettings(LogSettings):
    """How many deliveries a collector has in hand."""

    collector_prefetch: Count = SAFE_PREFETCH


class DatabaseSettings(LogSettings):
    """The PostgreSQL side, one URL per role."""

    database_url: SecretStr


class VolumeSettings(LogSettings):
    """The two shared folders and the promise of the artifact address."""

    receipt_source_root: Path
    home_budget_ocr_cache: Path
    ocr_artifact_uri_prefix: str = "artifact:"
    lock_seconds: Seconds = 60
    """How long to wait for a source lock before the delivery is handed back."""
    retention_days: Count = 90


def _subject(text: str) -> str:
    if not text:
        raise ValueError("a subject may not be empty")
    if re.search(r"\s", text):
        raise ValueError("a subject holds no white space")
    if "*" in text or ">" in text:
        raise ValueError("a subject holds no wildcard (* or >)")
    if "" in text.split("."):
        raise ValueError("a subject holds no empty token")
    return text


Subject = Annotated[str, AfterValidator(_subject)]
_NO_SECRET: Final = SecretStr("")


class NatsCredentials(BaseModel):
    """`OPENBAO__NATS__*`: subjects and credentials, empty credentials mean none. An unknown key is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    nats_seed: SecretStr = _NO_SECRET
    nats_jwt: SecretStr = _NO_SECRET
    nats_tabular_request_subject: Subject = "files.tabular_uploaded"
    nats_image_request_subject: Subject = "files.img_uploaded"
    nats_result_subject: Subject = "files.tabular_parsed"


class OpenBao(BaseModel):
    """`OPENBAO__*`."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    nats: NatsCredentials = NatsCredentials()


class NatsSettings(LogSettings):
    """The NATS side."""

    nats_enabled: bool = False
    nats_url: SecretStr = SecretStr("nats://127.0.0.1:4222")
    openbao: OpenBao = OpenBao()

    @property
    def subjects(self) -> dict[str, str]:
        """Return the three subjects under the names that /healthcheck gives them."""
        nats = self.openbao.nats
        return {
            "tabular_request": nats.nats_tabular_request_subject,
            "image_request": nats.nats_image_request_subject,
            "result": nats.nats_result_subject,
        }

    def credentials_last(self, at: datetime) -> float | None:
        """Return for how many seconds our JWT is still valid; None without one, without an end, or without NATS."""
        ends = expiry(self.openbao.nats.nats_jwt.get_secret_value()) if self.nats_enabled else None
        return None if ends is None else (ends - at).total_seconds()

    def problems(self) -> list[str]:
        """Add subjects that are the same and credentials that do not fit each other; no network is needed."""
        nats = self.openbao.nats
        keyed = {f"OPENBAO__NATS__NATS_{name.upper()}_SUBJECT": subject for name, subject in self.subjects.items()}
        seed, jwt = nats.nats_seed.get_secret_value(), nats.nats_jwt.get_secret_value()
        return [*super().problems(), *same_subjects(keyed), *wrong_credentials(seed, jwt, now())]


class ObjectSettings(LogSettings):
    """The object store behind one URL: `file:///ROOT`, or `s3:` with the usual AWS_* variables."""

    object_store_url: str
    object_store_bucket: str = "arm-ka"
    aws_endpoint_url: str = ""
    aws_access_key_id: SecretStr = _NO_SECRET
    aws_secret_access_key: SecretStr = _NO_SECRET
    aws_region: str = "us-east-1"
