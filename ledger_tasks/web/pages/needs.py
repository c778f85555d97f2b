"""What an endpoint of the pages needs: the database, the settings, the page number; from the request, typed."""

from typing import Annotated

from fastapi import Depends, Query, Request
from fastapi import Path as InPath
from sqlalchemy import Engine

from ledger_tasks.settings import ServeSettings


def _engine(request: Request) -> Engine:
    found: Engine = request.app.state.exchange.engine
    return found


def _settings(request: Request) -> ServeSettings:
    found: ServeSettings = request.app.state.settings
    return found


Database = Annotated[Engine, Depends(_engine)]
Settings = Annotated[ServeSettings, Depends(_settings)]
PageNumber = Annotated[int, Query(ge=1, le=100_000)]
Sha256 = Annotated[str, InPath(pattern="^[0-9a-f]{64}$")]
