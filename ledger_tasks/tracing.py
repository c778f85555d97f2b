"""Spans of one receipt from scan to commit, and of one recognition job from submission to documents.

The id of the publication, or of the job, names the trace: no message carries anything for it.
Nothing happens without the extra `tracing` and OTEL_EXPORTER_OTLP_ENDPOINT (all OTEL_* variables are OpenTelemetry's).
"""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
EXPORT_MILLISECONDS: Final = 1000
"""How long a span may wait to be sent: a child that is stopped loses no more than that."""


def trace_of(origin: str) -> str:
    """Return the W3C traceparent of all that comes of a publication or a job, by its id; its root is how that began."""
    number = _number(origin)
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


def began(name: str, origins: Iterable[str], begun: int, **attributes: str | int) -> None:
    """Record the root of the trace of each id; `begun` is when that started, in ns since the epoch."""
    tracer = _tracer()
    if tracer is None:
        return
    told = {f"ledger.{key}": value for key, value in attributes.items()}
    for origin in origins:
        token = _root.set(_number(origin))
        tracer.start_span(name, context=_nobody(), start_time=begun, attributes=told).end(time.time_ns())
        _root.reset(token)


def happened(name: str, origins: Iterable[str], begun: int, **attributes: str | int) -> None:
    """Record one step, done for many at once, as a part of the trace of each id."""
    tracer = _tracer()
    if tracer is None:
        return
    told = {f"ledger.{key}": value for key, value in attributes.items()}
    for origin in origins:
        parent = _parent(trace_of(origin))
        tracer.start_span(name, context=parent, start_time=begun, attributes=told).end(time.time_ns())


def _number(origin: str) -> str:
    """Return 32 hex digits: those of the UUID, or of one made from a foreign publisher's text."""
    try:
        return UUID(origin).hex
    except ValueError:
        return uuid5(NAMESPACE_URL, origin).hex


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
        """Random, but for the root of a trace that an id of ours names."""

        def generate_trace_id(self) -> int:
            return int(_root.get(), 16) or super().generate_trace_id()

        def generate_span_id(self) -> int:
            return int(_root.get()[:16], 16) or super().generate_span_id()

    provider = TracerProvider(resource=Resource.create({"service.name": "ledger"}), id_generator=Ids())
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(), schedule_delay_millis=EXPORT_MILLISECONDS))
    return provider.get_tracer("ledger")


_root: ContextVar[str] = ContextVar("ledger_trace_root", default="0")
"""The number of the root that is about to begin, in this thread alone."""


def _parent(traceparent: str | None) -> Any:
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415 (an extra)

    return TraceContextTextMapPropagator().extract({"traceparent": traceparent} if traceparent else {}, _nobody())


def _nobody() -> Any:
    from opentelemetry.context import Context  # noqa: PLC0415 (an extra)

    return Context()
