"""Spans of one receipt from scan to commit: its publication names the trace, so no message carries anything for it.

Nothing happens without the extra `tracing` and OTEL_EXPORTER_OTLP_ENDPOINT (all OTEL_* variables are OpenTelemetry's).
"""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
EXPORT_MILLISECONDS: Final = 1000
"""How long a span may wait to be sent: a child that is stopped loses no more than that."""


def trace_of(publication: str) -> str:
    """Return the W3C traceparent of everything that one publication brings about; its root is the publishing."""
    number = _number(publication)
    return f"00-{number}-{number[:16]}-01"


@contextmanager
def span(name: str, traceparent: str | None, **attributes: str | int | None) -> Iterator[None]:
    """Record the block as a part of a trace, with an exception that leaves it."""
    tracer = _tracer()
    if tracer is None:
        yield
        return
    told = {f"ledger.{key}": value for key, value in attributes.items() if value is not None}
    with tracer.start_as_current_span(name, context=_parent(traceparent), attributes=told):
        yield


def published(publications: Iterable[str], begun: int, **attributes: str | int) -> None:
    """Record the root of each publication's trace; `begun` is when their window began, in ns since the epoch."""
    tracer = _tracer()
    if tracer is None:
        return
    told = {f"ledger.{key}": value for key, value in attributes.items()}
    for publication in publications:
        _Ids.of_root = _number(publication)
        tracer.start_span("receipts.publish", context=_nobody(), start_time=begun, attributes=told).end(time.time_ns())


def _number(publication: str) -> str:
    """Return 32 hex digits: those of the publication's UUID, or of one made from a foreign publisher's text."""
    try:
        return UUID(publication).hex
    except ValueError:
        return uuid5(NAMESPACE_URL, publication).hex


@cache
def _tracer() -> "Tracer | None":
    """Make this process's tracer at its first span: after the fork, so that the thread that sends is its own."""
    if ENDPOINT not in os.environ:
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 (an extra)
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 (same)
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 (same)
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 (same)
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator  # noqa: PLC0415 (same)

    class Ids(RandomIdGenerator):
        """Random, but for the root of a trace that a publication names."""

        def generate_trace_id(self) -> int:
            return int(_Ids.of_root, 16) if _Ids.of_root else super().generate_trace_id()

        def generate_span_id(self) -> int:
            number, _Ids.of_root = _Ids.of_root, ""
            return int(number[:16], 16) if number else super().generate_span_id()

    provider = TracerProvider(resource=Resource.create({"service.name": "ledger"}), id_generator=Ids())
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(), schedule_delay_millis=EXPORT_MILLISECONDS))
    return provider.get_tracer("ledger")


class _Ids:
    """The number of the root that is about to begin; a window is published by one thread."""

    of_root = ""


def _parent(traceparent: str | None) -> Any:
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415 (an extra)

    return TraceContextTextMapPropagator().extract({"traceparent": traceparent} if traceparent else {}, _nobody())


def _nobody() -> Any:
    from opentelemetry.context import Context  # noqa: PLC0415 (an extra)

    return Context()
