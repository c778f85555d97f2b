"""The answer envelope of MAJOR 1: a service acknowledges a job or ends it; warnings are plain strings."""

from typing import Annotated, Any

from pydantic import Field

from contracts.recognition.words import (
    AnswerStatus,
    Failure,
    Identifier,
    Kept,
    Moment,
    ObjectAddress,
    Open,
    Word,
    legacy_warning,
)


class Service(Open):
    """Who answers."""

    name: Word
    version: Word


class Metrics(Kept):
    """Whatever a service counts, and its warnings."""

    warnings: tuple[str, ...] = ()


class EnvelopeV1(Open):
    """Any 1.x."""

    schema_version: Annotated[str, Field(pattern=r"^1(\.|$)")]
    job_id: Identifier
    status: AnswerStatus
    service: Service
    result_s3: ObjectAddress | None = None
    result_schema_version: Word | None = None
    metrics: Metrics | None = None
    error: Failure | None = None
    occurred_at: Moment

    @property
    def statements_version(self) -> None:
        """MAJOR 1 does not know it."""
        return

    def stored_metrics(self) -> dict[str, Any]:
        """Return the metrics to store, each warning wrapped into the shape of 2.0."""
        if self.metrics is None:
            return {}
        found = self.metrics.model_dump(mode="json", exclude_unset=True)
        if "warnings" in found:
            found["warnings"] = [legacy_warning(each) for each in self.metrics.warnings]
        return found
