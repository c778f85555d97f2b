"""One receipt with its picture, its values and its time line; here a person corrects and accepts it."""

from typing import Annotated, NamedTuple

from fastapi import Form, HTTPException, Request, Response, status
from fastapi import Path as InPath
from fastapi.responses import RedirectResponse
from sqlalchemy import Connection, Engine

from ledger_tasks.clock import now
from ledger_tasks.collector.checking import ACCEPT, ITEM_PARTS
from ledger_tasks.collector.correct import correct
from ledger_tasks.errors import Infrastructure, NotFoundError, UsageError
from ledger_tasks.explain import Verdict, of_receipt
from ledger_tasks.files.attempts import starts_of
from ledger_tasks.settings import ServeSettings
from ledger_tasks.storage.corrections import Correction
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.page_receipt import load_receipt_page, path_of
from ledger_tasks.storage.page_receipts import review_place
from ledger_tasks.web.pages import fields
from ledger_tasks.web.pages.access import Looks, Operates, Visitor
from ledger_tasks.web.pages.figure import NoPictureError, picture
from ledger_tasks.web.pages.needs import Database, Settings, Sha256
from ledger_tasks.web.pages.render import page as render
from ledger_tasks.web.pages.route import page_router
from ledger_tasks.web.pages.timeline import timeline
from ledger_tasks.whereabouts import whereabouts

router = page_router()
PictureNumber = Annotated[int, InPath(ge=1, le=1000)]


class Wrong(NamedTuple):
    """A value that its field cannot hold, and what to write instead."""

    field: str
    item: str
    message: str
    remedy: str


@router.get("/receipts/{sha256}")
def receipt(request: Request, visitor: Looks, engine: Database, settings: Settings, sha256: Sha256) -> Response:
    """Show one receipt; a person who may operate corrects it here."""
    return _show(request, visitor, engine, settings, sha256)


@router.post("/receipts/{sha256}/correct")
def correct_field(
    request: Request,
    visitor: Operates,
    engine: Database,
    settings: Settings,
    sha256: Sha256,
    field: Annotated[str, Form(max_length=40)],
    value: Annotated[str, Form(max_length=1000)] = "",
    item: Annotated[str, Form(max_length=60)] = "",
) -> Response:
    """Keep one value that a person gives; an empty one says that the receipt does not say it."""
    try:
        correct(engine, sha256, [Correction(field, value or None, item)], now(), visitor.name)
    except UsageError as error:
        wrong = Wrong(field, item, error.message, error.remedy)
        return _show(request, visitor, engine, settings, sha256, wrong)
    return RedirectResponse(f"/receipts/{sha256}", status.HTTP_303_SEE_OTHER)


@router.post("/receipts/{sha256}/accept")
def accept(visitor: Operates, engine: Database, sha256: Sha256) -> Response:
    """Take the values as they stand, and go on with the next receipt that waits."""
    correct(engine, sha256, [ACCEPT], now(), visitor.name)
    with transaction(engine) as connection:
        place = review_place(connection, sha256)
    target = f"/receipts/{place.following}" if place.following else "/receipts?state=review"
    return RedirectResponse(target, status.HTTP_303_SEE_OTHER)


@router.get("/receipts/{sha256}/figure/{number}")
def figure(
    request: Request, visitor: Looks, engine: Database, settings: Settings, sha256: Sha256, number: PictureNumber
) -> Response:
    """Show a page of the receipt with the boxes of its fields."""
    with transaction(engine) as connection:
        found = load_receipt_page(connection, sha256)
    if found is None:
        raise NotFoundError("no receipt has this hash")
    paths = [row.source_reference for row in found.paths]
    try:
        drawn = picture(settings.receipt_source_root, paths, sha256, number)
    except NoPictureError as reason:
        return render(request, "figure.html", visitor, {"drawn": None, "reason": str(reason)})
    boxes = fields.boxes(fields.said(found.evidence), drawn.page)
    return render(request, "figure.html", visitor, {"drawn": drawn, "boxes": boxes, "sha256": sha256})


@router.get("/receipts/{sha256}/pages/{number}.jpg")
def page_picture(
    visitor: Looks,  # noqa: ARG001 (only who is logged in)
    engine: Database,
    settings: Settings,
    sha256: Sha256,
    number: PictureNumber,
) -> Response:
    """Return a page drawn anew as JPEG."""
    with transaction(engine) as connection:
        paths = path_of(connection, sha256)
    try:
        drawn = picture(settings.receipt_source_root, paths, sha256, number)
    except NoPictureError as reason:
        raise HTTPException(404, str(reason)) from None
    return Response(drawn.jpeg, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=3600"})


def _show(
    request: Request,
    visitor: Visitor,
    engine: Engine,
    settings: ServeSettings,
    sha256: str,
    wrong: Wrong | None = None,
) -> Response:
    """Render one receipt, with what was wrong about the value that was just given."""
    with transaction(engine) as connection:
        found = load_receipt_page(connection, sha256)
        if found is None:
            raise NotFoundError("no receipt has this hash", next_command="ledger receipts list")
        place = review_place(connection, sha256)
        verdict = _verdict(connection, settings, sha256)
    said, cache = fields.said(found.evidence), settings.home_budget_ocr_cache
    values = {
        "found": found,
        "place": place,
        "said": said,
        "others": fields.unasked(said),
        "lacking": [field.name for field in said if field.name in fields.ASKED and field.value is None],
        "verdict": verdict,
        "parts": ITEM_PARTS,
        "checks": fields.checks(found.evidence, said),
        "steps": timeline(found, starts_of(cache, sha256) if cache else ()),
        "wrong": wrong,
        "visible": settings.receipt_source_root is not None,
    }
    answer = status.HTTP_422_UNPROCESSABLE_CONTENT if wrong else status.HTTP_200_OK
    return render(request, "receipt.html", visitor, values, answer)


def _verdict(connection: Connection, settings: ServeSettings, sha256: str) -> Verdict | None:
    """Return what `ledger receipts explain` says, None where this server does not see the volumes."""
    root, cache = settings.receipt_source_root, settings.home_budget_ocr_cache
    if root is None or cache is None:
        return None
    try:
        return of_receipt(whereabouts(connection, sha256, root, cache), settings.receipt_retry_seconds)
    except Infrastructure:
        return None
