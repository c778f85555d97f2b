"""One small class per role: it has no field for a secret that the role may not hold."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from ledger_tasks.settings.parts import (
    BrokerSettings,
    Count,
    DatabaseSettings,
    LogSettings,
    NatsSettings,
    ObjectSettings,
    PrefetchSettings,
    Seconds,
    TokenSettings,
    VolumeSettings,
)


class BeatSettings(BrokerSettings):
    """The clock: which timetable entries it sends."""

    discovery_by_beat: bool = True
    nats_enabled: bool = False
    outbox_poll_seconds: Seconds = 5


class LeaseSettings(BrokerSettings, DatabaseSettings):
    """Who publishes under leases: `ledger receipts retry` needs no more."""

    lease_seconds: Seconds = 21600
    canary_seconds: Seconds | None = None
    """How often a receipt of ours is sent through the whole chain, in `ledger-canary/` of the root; unset: never."""


class PublisherSettings(LeaseSettings, VolumeSettings):
    """Discovery: database yes, OCR no."""

    receipt_max_attempts: Count = 3
    receipt_quiet_seconds: Seconds = 2


class RefreshSettings(BrokerSettings, VolumeSettings):
    """Refreshes on request: publishes, and asks no database."""


class CacheSettings(LogSettings):
    """For `ledger batches`: the cache volume alone."""

    home_budget_ocr_cache: Path


class OcrSettings(BrokerSettings, VolumeSettings):
    """OCR: no database, by construction."""

    ocr_engine: Literal["auto", "rapidocr", "tesseract"] = "auto"
    ocr_timeout_seconds: Seconds = 300
    ocr_worker_concurrency: Count = 1
    ocr_memory_megabytes: Count = 850
    """Resident megabytes of the reader at which it is replaced after the current receipt."""
    ocr_pages_per_reader: Count = 200
    """Pages after which the reader is replaced: the engine's memory grows with changing shapes."""


class CollectorSettings(BrokerSettings, DatabaseSettings, PrefetchSettings):
    """Results to PostgreSQL: no receipt volume."""


class ExchangeSettings(DatabaseSettings, NatsSettings, ObjectSettings):
    """The recognition exchange, whichever process runs its ticks."""

    outbox_poll_seconds: Seconds = 5
    ack_timeout_seconds: Seconds = 30
    outbox_max_republish: Annotated[int, Field(ge=0)] = 3
    reply_deadline_seconds: Seconds = 900
    recognition_watch_seconds: Seconds = 30
    recognition_map_seconds: Seconds = 5
    recognition_max_attempts: Count = 3
    recognition_inbox_grace_seconds: Seconds = 120
    """How long an inbox that fell silent may still hold an answer in its journal."""
    recognition_max_result_bytes: Count = 64 * 1024 * 1024
    debug: bool = False


class RecognizerSettings(NatsSettings, ObjectSettings):
    """Our reference services: no database, by construction."""

    ocr_engine: Literal["auto", "rapidocr", "tesseract"] = "auto"
    ocr_timeout_seconds: Seconds = 300
    ocr_memory_megabytes: Count = 850
    ocr_pages_per_reader: Count = 200


class RecognitionSettings(BrokerSettings, ExchangeSettings):
    """Outbox, deadline watcher and mapper, as Celery tasks."""


class ServeSettings(ExchangeSettings, TokenSettings):
    """HTTP, inbox and pages; with `RECOGNITION_TICKS` inline (or auto without a broker) the ticks too."""

    rabbitmq_url: SecretStr | None = None
    recognition_ticks: Literal["auto", "celery", "inline"] = "auto"
    recognition_spool_dir: Path | None = None
    """Where inboxes keep their journals: a local volume that outlives the process. Required when NATS is enabled."""
    receipt_source_root: Path | None = None
    """With it the pages show the receipts themselves, drawn anew."""
    home_budget_ocr_cache: Path | None = None
    """With it the pages show how far batches are, and every start of a reading."""
    receipt_retry_seconds: Seconds = 60

    @property
    def inline_ticks(self) -> bool:
        """Say whether this process runs the three ticks itself."""
        return self.recognition_ticks == "inline" or (self.recognition_ticks == "auto" and self.rabbitmq_url is None)

    def problems(self) -> list[str]:
        """Add a journal without its folder."""
        homeless = self.nats_enabled and self.recognition_spool_dir is None
        return [
            *super().problems(),
            *(["RECOGNITION_SPOOL_DIR: required when NATS_ENABLED is true"] if homeless else []),
        ]


class FlowerSettings(BrokerSettings, TokenSettings):
    """Flower: the broker, and who may look."""

    rabbitmq_management_url: SecretStr | None = None
