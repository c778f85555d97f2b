"""Settings of every role: the environment in, one frozen object out, or an error that names keys, never values."""

from ledger_tasks.settings.base import load
from ledger_tasks.settings.parts import (
    BrokerSettings,
    DatabaseSettings,
    NatsSettings,
    ObjectSettings,
    VolumeSettings,
)
from ledger_tasks.settings.roles import (
    BeatSettings,
    CacheSettings,
    CollectorSettings,
    ExchangeSettings,
    FlowerSettings,
    LeaseSettings,
    OcrSettings,
    PublisherSettings,
    RecognitionSettings,
    RecognizerSettings,
    RefreshSettings,
    ServeSettings,
)

__all__ = [
    "BeatSettings",
    "BrokerSettings",
    "CacheSettings",
    "CollectorSettings",
    "DatabaseSettings",
    "ExchangeSettings",
    "FlowerSettings",
    "LeaseSettings",
    "NatsSettings",
    "ObjectSettings",
    "OcrSettings",
    "PublisherSettings",
    "RecognitionSettings",
    "RecognizerSettings",
    "RefreshSettings",
    "ServeSettings",
    "VolumeSettings",
    "load",
]
