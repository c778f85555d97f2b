"""PURE. The last member of a backup: what it holds, so that a reader knows that it is whole and fits its database."""

import re
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import AwareDatetime, Field

from contracts.identity import Sha256
from contracts.wire import Wire
from ledger_tasks.errors import ConfigurationError
from ledger_tasks.storage.backup import Form

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
ARTIFACT: Final = re.compile(r"artifacts/([0-9a-f]{64})\.json")

Count = Annotated[int, Field(ge=0)]


class TablePart(Wire):
    """One table: its member holds `rows` lines, one JSON object of exactly `columns` each, with this SHA-256."""

    name: str
    columns: tuple[str, ...]
    rows: Count
    sha256: Sha256


class Manifest(Wire):
    """The whole: `missing_artifacts` were named by rows and not on the volume when the backup was made."""

    format: Annotated[int, Field(ge=FORMAT, le=FORMAT)]
    program: str
    revision: str
    made_at: AwareDatetime
    tables: tuple[TablePart, ...]
    artifacts: Count
    missing_artifacts: tuple[Sha256, ...]


def table_member(name: str) -> str:
    """Return the name of the member that holds a table."""
    return f"tables/{name}.jsonl"


def artifact_member(sha256: str) -> str:
    """Return the name of the member that holds an artifact."""
    return f"artifacts/{sha256}.json"


def refuse_misfit(manifest: Manifest, forms: Mapping[str, Form]) -> None:
    """Raise ConfigurationError when a table or column has no place here, or one that must be filled is not told.

    A column that is new since the backup was made gets its default.
    """
    for part in manifest.tables:
        form = forms.get(part.name)
        unknown = (
            [part.name]
            if form is None
            else [f"{part.name}.{name}" for name in part.columns if name not in form.columns]
        )
        if unknown or form is None:
            raise ConfigurationError(
                f"this program has no place for {', '.join(unknown)} of the backup (revision {manifest.revision})",
                remedy="Import it with the version of the program that made it, or a later one; nothing was changed.",
            )
        lacking = [name for name in form.required if name not in part.columns]
        if lacking:
            raise ConfigurationError(
                f"the backup does not tell {', '.join(lacking)} of {part.name}, which has no default",
                remedy=f"Import it with the version that made it ({manifest.program}) and upgrade its database then.",
            )
