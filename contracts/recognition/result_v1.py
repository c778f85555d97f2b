"""The result file of MAJOR 1: documents with rows, warnings as plain strings."""

from typing import Annotated

from pydantic import Field

from contracts.recognition.envelope_v1 import Service
from contracts.recognition.words import Kind, Open, Row


class Document(Open):
    """One recognized document."""

    kind: Kind
    title: str | None = None
    rows: tuple[Row, ...]


class ResultV1(Open):
    """Any 1.x."""

    schema_version: Annotated[str, Field(pattern=r"^1(\.|$)")]
    service: Service
    documents: tuple[Document, ...]
    warnings: tuple[str, ...] = ()
