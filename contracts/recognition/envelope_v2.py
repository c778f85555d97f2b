"""The answer envelope of MAJOR 2: the service names its statements version; warnings are structures."""

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
    Warning,  # noqa: A004 (the contract's own word)
    Word,
)


class Service(Open):
    """Who answers, and which rules made its statements."""

    name: Word
    version: Word
    statements_version: Word | None = None


class Metrics(Kept):
    """Whatever a service counts, and its warnings."""

    warnings: tuple[Warning, ...] = ()


class EnvelopeV2(Open):
    """Any 2.x."""

    schema_version: Annotated[str, Field(pattern=r"^2(\.|$)")]
    job_id: Identifier
    status: AnswerStatus
    service: Service
    result_s3: ObjectAddress | None = None
    result_schema_version: Word | None = None
    metrics: Metrics | None = None
    error: Failure | None = None
    occurred_at: Moment

    @property
    def statements_version(self) -> str | None:
        """Which rules made the statements."""
        return self.service.statements_version

    def stored_metrics(self) -> dict[str, Any]:
        """Return the metrics to store, warnings as they came."""
        return {} if self.metrics is None else self.metrics.model_dump(mode="json", exclude_unset=True)
