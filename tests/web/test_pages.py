"""The pages in a real browser: readable, reachable by keys alone, at 390 pixels, under a policy without inline code."""

import re
import shutil

import pytest

from ledger_tasks.collector.apply import collect
from ledger_tasks.files.canary import REFERENCE
from ledger_tasks.storage.database import connect
from tests.support.amqp import wait_until
from tests.support.events import completed, receipt, source
from tests.web.conftest import SAMPLES
from tests.web.made import MADE_FILE


@pytest.mark.case("C052")
def test_twenty_receipts_are_reviewed_with_the_keyboard_alone(open_page, site) -> None:
    waiting = "SELECT count(*) FROM ingest.receipt_processing_status WHERE status = 'review_required'"
    before = site.one(waiting)
    page = open_page(site.operator)
    page.keyboard.press("r")
    page.wait_for_url(re.compile("/receipts/"))
    for number in range(20):
        address = page.url
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.id") == "field-total", "the doubtful field comes first"
        page.keyboard.type(f"{number + 1},50")
        page.keyboard.press("Enter")
        page.locator(".verdict.good").wait_for()
        assert page.evaluate("document.activeElement.id") == "next"
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url, address=address: url != address)
        page.locator(".verdict.review").wait_for()
    assert site.one(waiting) == before - 20
    assert site.one("SELECT count(*) FROM budget.receipt_corrections WHERE field = 'total'") >= 20


def test_a_value_that_cannot_be_is_refused_beside_its_field_and_nothing_is_kept(open_page, site) -> None:
    page = open_page(site.operator)
    page.goto("/review")
    sha256 = page.url.rsplit("/", 1)[1]
    total = page.get_by_label("Total", exact=True)
    total.fill("a lot")
    total.press("Enter")
    page.get_by_role("alert").wait_for()
    assert "Write an amount as 1007.50" in page.get_by_role("alert").inner_text()
    assert page.evaluate("document.activeElement.id") == "field-total"
    assert site.one("SELECT count(*) FROM budget.receipt_corrections WHERE source_sha256 = :sha", sha=sha256) == 0


def test_an_alternative_is_taken_with_one_press(open_page, site) -> None:
    page = open_page(site.operator)
    page.goto("/review")
    sha256 = page.url.rsplit("/", 1)[1]
    page.locator(".alternatives button").first.press("Enter")
    page.locator(".verdict.good").wait_for()
    assert site.one("SELECT total FROM budget.expenses WHERE source_sha256 = :sha", sha=sha256) is not None


def test_the_picture_is_drawn_anew_with_the_boxes_of_the_fields(open_page, site) -> None:
    page = open_page(site.operator)
    page.goto("/review")
    sha256 = page.url.rsplit("/", 1)[1]
    sample = SAMPLES / "cafe-english.jpg"
    from hashlib import sha256 as digest

    real = digest(sample.read_bytes()).hexdigest()
    shutil.copy(sample, site.volumes.root / "cafe.jpg")
    for table in ("ingest.receipts", "ingest.receipt_paths"):
        columns = "source_sha256, source_reference"
        site.run(f"INSERT INTO {table} ({columns}) VALUES (:real, 'cafe.jpg') ON CONFLICT DO NOTHING", real=real)
    site.run(
        "UPDATE budget.receipt_evidence SET source_sha256 = :real, source_reference = 'cafe.jpg' "
        "WHERE source_sha256 = :sha",
        real=real,
        sha=sha256,
    )
    page.goto(f"/receipts/{real}")
    image = page.locator("svg.sheet image")
    image.wait_for()
    assert page.locator("[data-box]").count() == 4
    drawn = page.request.get(image.get_attribute("href"))
    assert drawn.headers["content-type"] == "image/jpeg"
    assert drawn.body() != sample.read_bytes(), "the file itself never reaches the browser"
    page.get_by_label("Total", exact=True).focus()
    assert page.locator("[data-box=total].lit").count() == 1


def test_a_hostile_file_is_not_shown_and_harms_nothing(open_page, site) -> None:
    from hashlib import sha256 as digest

    script = b"<script>alert(1)</script>"
    real = digest(script).hexdigest()
    (site.volumes.root / "evil.png").write_bytes(script)
    for table in ("ingest.receipts", "ingest.receipt_paths"):
        columns = "source_sha256, source_reference"
        site.run(f"INSERT INTO {table} ({columns}) VALUES (:real, 'evil.png') ON CONFLICT DO NOTHING", real=real)
    page = open_page(site.operator)
    page.goto(f"/receipts/{real}")
    page.get_by_text("UNSUPPORTED_TYPE").wait_for()
    assert page.request.get(f"/receipts/{real}/pages/1.jpg").status == 404


def test_the_overview_counts_by_itself(open_page, site) -> None:
    page = open_page(site.reader)
    review = page.locator(".flow li", has_text="Review").locator("strong")
    shown = int(review.inner_text())
    site.run(
        "UPDATE ingest.receipt_processing_status SET status = 'review_required' WHERE source_sha256 = "
        "(SELECT source_sha256 FROM ingest.receipt_processing_status WHERE status = 'succeeded' LIMIT 1)"
    )
    wait_until(lambda: int(review.inner_text()) == shown + 1, "the next count", 15)


@pytest.mark.case("C083")
def test_the_depth_of_the_work_queue_is_seen_with_no_worker_up(open_page, site) -> None:
    from ledger_tasks.messaging.publish import Publisher
    from ledger_tasks.messaging.topology import declare, receipts_topology

    with Publisher(site.broker.url) as publisher:
        declare(publisher.connection(), receipts_topology(1))
    page = open_page(site.reader)
    row = page.get_by_role("row", name=re.compile(re.escape("receipts.v1.work")))
    row.wait_for()
    assert "no worker" in row.inner_text()


def test_the_keys_can_be_switched_off(open_page, site) -> None:
    page = open_page(site.reader)
    page.keyboard.press("?")
    page.get_by_label("Switch these keys off").check()
    page.get_by_role("link", name="Receipts", exact=True).click()
    page.get_by_role("heading", name="Receipts").wait_for()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") != "q"


def test_dead_letters_are_replayed_after_a_preview_and_leave_the_list(open_page, site) -> None:
    from pydantic import SecretStr

    from contracts.receipts.work import encode_work, process
    from ledger_tasks.dead_letters import reconcile
    from ledger_tasks.messaging.publish import Publisher
    from ledger_tasks.messaging.topology import declare, receipts_topology
    from tests.support.amqp import PlainClient

    client = PlainClient(site.broker.url)
    with Publisher(site.broker.url) as publisher:
        declare(publisher.connection(), receipts_topology(1))
        work = process(source("dead one"), "dead/one.jpg")
        headers = {"error_code": "ENGINE_FAILED", "error_message": "the engine <b>broke</b>"}
        client.publish("receipts.v1.dead", "receipt", encode_work(work), application_headers=headers)
        wait_until(lambda: client.ready("receipts.v1.dead") == 1, "the letter")
        reconcile(connect(SecretStr(site.environment["DATABASE_URL"])), publisher)

    page = open_page(site.operator)
    page.goto("/dead?code=ENGINE_FAILED")
    page.get_by_role("link", name="dead/one.jpg").click()
    assert "the engine <b>broke</b>" in page.inner_text("main"), "what a stranger wrote is shown as text"
    assert '"source_reference":"dead/one.jpg"' in page.inner_text("main")
    page.get_by_role("link", name="Replay").click()
    page.get_by_role("heading", name="Replay 1 letter?").wait_for()
    assert client.ready("receipts.v1.work") == 0, "a preview does nothing"
    page.get_by_role("button", name="Replay 1").click()
    page.get_by_role("status").filter(has_text="1 of 1 replayed").wait_for()

    assert client.take("receipts.v1.work")[0].body == encode_work(work).decode()
    assert client.ready("receipts.v1.dead") == 0
    client.close()
    assert page.get_by_role("link", name="ENGINE_FAILED").count() == 0


def test_what_hinders_the_exchange_stands_above_its_files_with_the_remedy(open_page, site) -> None:
    site.run("INSERT INTO recognition.trouble (place, code) VALUES ('map', 'OBJECT_STORE_FORBIDDEN')")
    page = open_page(site.reader)
    page.goto("/recognition")
    text = page.locator(".note.bad").inner_text()
    site.run("DELETE FROM recognition.trouble")
    assert "OBJECT_STORE_FORBIDDEN" in text
    assert "Correct AWS_ACCESS_KEY_ID" in text


def test_failed_recognition_files_are_tried_again_together(open_page, site) -> None:
    for _ in range(2):
        site.run(MADE_FILE)
    page = open_page(site.operator)
    page.goto("/recognition?state=ERROR")
    boxes = page.get_by_label("Choose osv.xlsx").all()
    for box in boxes:
        box.check()
    page.get_by_role("button", name="Try the chosen files again").click()
    page.get_by_role("status").filter(has_text=f"{len(boxes)} queued again").wait_for()
    assert site.one("SELECT count(*) FROM recognition.recognition_job WHERE status = 'queued' AND attempt = 2") == len(
        boxes
    )
    page.get_by_role("link", name="osv.xlsx").first.click()
    assert "Attempt 2: Queued" in page.inner_text(".timeline")
    assert "anna: retry" in page.inner_text("main")


def test_an_operator_sees_how_long_ago_the_canary_came_through(open_page, site) -> None:
    page = open_page(site.reader)
    assert "canary" not in page.inner_text("main"), "nobody sends one"
    known = {"sha": "c" * 64, "reference": REFERENCE}
    site.run("INSERT INTO ingest.receipts (source_sha256, source_reference) VALUES (:sha, :reference)", **known)
    site.run(
        "INSERT INTO budget.receipt_cache_requests (source_sha256, request_id, attempts, created_at, completed_at, "
        "outcome) VALUES (:sha, gen_random_uuid(), 1, now(), now() - interval '2 hours', 'cache_rebuilt')",
        sha=known["sha"],
    )
    page.reload()
    assert page.locator("li.bad").filter(has_text="canary came through 2 h ago").count() == 1
    site.run("UPDATE budget.receipt_cache_requests SET completed_at = now() WHERE source_sha256 = :sha", sha="c" * 64)
    page.reload()
    assert page.locator("li:not(.bad)").filter(has_text="canary came through").count() == 1


@pytest.mark.case("C082")
def test_what_happened_to_a_receipt_is_told_from_our_own_tables(open_page, site, twins) -> None:
    page = open_page(site.reader)
    page.goto(f"/receipts/{twins}")
    told = page.inner_text(".timeline")
    for step in ("Found", "Read in 1.5 s", "Result applied", "from worker-1, attempt 1"):
        assert step in told


def test_a_line_is_corrected_and_the_booking_follows(open_page, site) -> None:
    from datetime import UTC, datetime

    from pydantic import SecretStr

    engine = connect(SecretStr(site.owner.url.render_as_string(hide_password=False).replace("+psycopg", "")))
    items = [{"description": "Milk", "quantity": "2", "unit_price": "1.10", "total": None, "code": None, "void": False}]
    said = receipt(items=items, merchant="Dairy", transaction_date="2026-06-06", currency="EUR", total="2.20")
    collect([completed("dairy", "run of dairy", generation=1, said=said)], engine, datetime.now(UTC))
    page = open_page(site.operator)
    page.goto(f"/receipts/{source('dairy')}")
    page.get_by_text("Correct a line").click()
    page.get_by_label("Line", exact=True).select_option(label="1: Milk")
    page.get_by_label("What", exact=True).select_option("total")
    page.get_by_label("Value", exact=True).last.fill("2,20")
    page.get_by_label("Value", exact=True).last.press("Enter")
    page.get_by_role("cell", name="2.20").wait_for()
    booked = (
        "SELECT item.total::text FROM budget.expense_items item JOIN budget.expenses expense ON expense.id = "
        "item.expense_id WHERE expense.source_sha256 = :sha"
    )
    assert site.one(booked, sha=source("dairy")) == "2.2000"


def test_a_receipt_in_flight_says_why_as_explain_does(open_page, site) -> None:
    sha256 = site.one("SELECT source_sha256 FROM ingest.publications WHERE state = 'confirmed' LIMIT 1")
    page = open_page(site.reader)
    page.goto(f"/receipts/{sha256}")
    told = page.locator(".verdict").inner_text()
    assert "Queued: waiting for an OCR worker or the collector." in told
    assert "ledger status" in told
