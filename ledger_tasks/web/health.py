"""How this process is: pulses come in, one JSON document or the verdict of a probe goes out. Needs no token."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response, status
from pydantic import BaseModel

from ledger_tasks.clock import now
from ledger_tasks.settings import ServeSettings
from ledger_tasks.web.background import Background

router = APIRouter(tags=["health"])


class Subjects(BaseModel):
    """The subjects in use."""

    tabular_request: str
    image_request: str
    result: str


class Hindrance(BaseModel):
    """What hinders a tick or a subject (`place`), and since how long; `ledger help CODE` says what to do."""

    place: str
    code: str
    seconds: float


class Detail(BaseModel):
    """What an operator should know and no probe acts on; null: credentials without an end, or none."""

    troubles: list[Hindrance]
    credentials_expire_seconds: float | None


class Health(BaseModel):
    """`spool` counts the answers that are received and not applied yet; the ages are null when there is none."""

    status: Literal["ok", "degraded"]
    nats: Literal["ok", "down", "off"]
    subjects: Subjects
    database: Literal["ok", "down"]
    spool: int
    oldest_queued_seconds: float | None
    last_tick_seconds: float | None
    detail: Detail


def _background(request: Request) -> Background:
    found: Background = request.app.state.background
    return found


Running = Annotated[Background, Depends(_background)]


@router.get("/healthcheck")
async def healthcheck(request: Request, running: Running) -> Health:
    """Say how NATS and the database are; always 200 while the process answers."""
    settings: ServeSettings = request.app.state.settings
    nats: Literal["ok", "down", "off"] = "off"
    if running.inbox is not None:
        nats = "ok" if running.inbox.hears else "down"
    database: Literal["ok", "down"] = "ok" if running.database.fresh else "down"
    return Health(
        status="degraded" if "down" in {nats, database} else "ok",
        nats=nats,
        subjects=Subjects(**settings.subjects),
        database=database,
        spool=running.inbox.backlog() if running.inbox else 0,
        oldest_queued_seconds=running.backlog.oldest_queued_seconds,
        last_tick_seconds=running.backlog.last_tick_seconds,
        detail=Detail(
            troubles=[Hindrance(**trouble._asdict()) for trouble in running.troubles],
            credentials_expire_seconds=settings.credentials_last(now()),
        ),
    )


@router.get("/livez")
async def livez(request: Request, response: Response) -> dict[str, Any]:
    """Answer 503 when only a restart helps: the background ended, or the JWT expired and a new one must be read."""
    alive: bool = request.app.state.alive()
    response.status_code = status.HTTP_200_OK if alive else status.HTTP_503_SERVICE_UNAVAILABLE
    return {"alive": alive}


@router.get("/readyz")
async def readyz(running: Running, response: Response) -> dict[str, Any]:
    """Answer 503 while NATS, if enabled, or the database is down."""
    ready = running.database.fresh and (running.inbox is None or running.inbox.hears)
    response.status_code = status.HTTP_200_OK if ready else status.HTTP_503_SERVICE_UNAVAILABLE
    return {"ready": ready}
