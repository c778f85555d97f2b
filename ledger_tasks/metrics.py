"""Every metric of ours by its name: those that are counted where things happen, and those that `serve` looks up."""

from typing import Final, NamedTuple

from prometheus_client import Counter, Histogram, disable_created_metrics

# One more series for each counter, and no rule or dashboard reads it.
disable_created_metrics()  # type: ignore[no-untyped-call]

DELIVERIES: Final = Counter(
    "ledger_deliveries", "Deliveries that were settled, by what became of them.", ("family", "outcome", "code")
)
DELIVERY_SECONDS: Final = Histogram(
    "ledger_delivery_seconds",
    "From the start of a delivery to its acknowledgement.",
    ("family",),
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600),
)
HOLDS: Final = Counter("ledger_holds", "How often a delivery began to wait for infrastructure.", ("family", "code"))
PUBLICATIONS: Final = Counter(
    "ledger_publications", "Messages that were to be published, by their fate; only `confirmed` is good.", ("fate",)
)
UNHEARD: Final = Counter(
    "ledger_recognition_unheard", "Requests that were published while no service listened to them.", ("pipeline",)
)


class State(NamedTuple):
    """A gauge that is looked up when somebody asks."""

    help: str
    labels: tuple[str, ...] = ()


STATES: Final[dict[str, State]] = {
    "ledger_database_up": State("1 when the database answers."),
    "ledger_broker_up": State("1 when the broker answers; absent when serve knows no broker."),
    "ledger_receipts": State("Receipts by where they stand.", ("state",)),
    "ledger_receipts_ended": State("Receipts that were booked, went to review or failed: it grows while work goes on."),
    "ledger_in_flight_oldest_seconds": State("Age of the oldest receipt that was published and has not ended."),
    "ledger_review_oldest_seconds": State("How long the oldest receipt has waited for a person."),
    "ledger_dead_letters": State("Dead letters that nobody has settled.", ("code",)),
    "ledger_dead_letter_oldest_seconds": State("Age of the oldest dead letter that nobody has settled."),
    "ledger_last_scan_seconds": State("How long ago the last scan of the folder ended."),
    "ledger_scan_files": State("Files of the last scan by what they were counted as.", ("counted",)),
    "ledger_canary_seconds": State("How long ago the canary last came through the whole chain, or was first sent."),
    "ledger_expenses_unexported": State("Bookings that were not exported yet."),
    "ledger_queue_ready": State("Messages that are ready in a queue.", ("queue",)),
    "ledger_queue_consumers": State("Consumers of a queue.", ("queue",)),
    "ledger_recognition_files": State("Recognition files by status.", ("status",)),
    "ledger_recognition_oldest_queued_seconds": State("How long the oldest queued recognition job has waited."),
    "ledger_recognition_last_tick_seconds": State("How long ago the outbox last looked for work."),
    "ledger_recognition_trouble_seconds": State(
        "How long something has hindered the exchange, by its code; absent while nothing does.", ("code",)
    ),
    "ledger_nats_credentials_seconds": State(
        "How long our NATS credentials are still valid; absent for credentials without an end."
    ),
    "ledger_nats_up": State("1 when the inbox hears NATS; absent when NATS is switched off."),
    "ledger_inbox_spool": State("Answers that were received and not applied yet."),
}
"""Name -> what it tells. Ages are absent when there is nothing to be old."""

NAMES: Final = frozenset(
    {
        *("ledger_deliveries_total", "ledger_holds_total", "ledger_publications_total"),
        "ledger_recognition_unheard_total",
        *(f"ledger_delivery_seconds_{part}" for part in ("bucket", "sum", "count")),
        *STATES,
    }
)
"""Every name that Prometheus may see, for rules and dashboards."""
