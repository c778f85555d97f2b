"""The JSON Schemas of the exchange, made from the models: nothing comes in, file name -> schema goes out."""

from typing import Any, Final

from contracts.recognition.envelope_v1 import EnvelopeV1
from contracts.recognition.envelope_v2 import EnvelopeV2
from contracts.recognition.request import Request
from contracts.recognition.result_v1 import ResultV1
from contracts.recognition.result_v2 import ResultV2
from contracts.wire import Wire

MODELS: Final[dict[str, type[Wire]]] = {
    "v1/recognition-request.schema.json": Request,
    "v1/recognition-result-message.schema.json": EnvelopeV1,
    "v1/recognition-result.schema.json": ResultV1,
    "v2/recognition-result-message.schema.json": EnvelopeV2,
    "v2/recognition-result.schema.json": ResultV2,
}
"""File below `schemas/` -> model. The request has one MAJOR: 1."""


def schemas() -> dict[str, dict[str, Any]]:
    """Return every schema; a test holds the committed files equal to these."""
    return {name: _schema(model) for name, model in MODELS.items()}


def _schema(model: type[Wire]) -> dict[str, Any]:
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | model.model_json_schema()
