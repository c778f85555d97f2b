"""The real reader process: what it reads, what it refuses, and what happens when it dies, hangs or grows."""

import io
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image, ImageOps

from contracts.receipts.receipt import SINGLE_FIELDS
from ledger_tasks.errors import Terminal, Transient
from ledger_tasks.ocr.reading import Reader
from ledger_tasks.storage.likeness import ALIKE_BITS

SAMPLES = Path(__file__).parents[2] / "data" / "receipts"
LIMIT = 120.0
"""Seconds; far more than a receipt takes, because test machines are shared."""

MEMORY = 1_200_000_000


@pytest.fixture(scope="module")
def reader():
    with Reader() as warm:
        yield warm


@pytest.fixture(scope="module")
def slip():
    return Image.open(SAMPLES / "cafe-english.jpg").convert("L")


def encoded(image, form="PNG", **options):
    written = io.BytesIO()
    image.save(written, form, **options)
    return written.getvalue()


def fields(reading):
    receipt = reading.receipt
    return receipt.merchant.value, receipt.transaction_date.value, receipt.total.value, receipt.currency.value


CAFE = ("The Copper Kettle", "2025-03-18", "25.35", "GBP")


@pytest.mark.case("C031")
@pytest.mark.parametrize(
    ("orientation", "turn"),
    [(1, None), (3, Image.Transpose.ROTATE_180), (6, Image.Transpose.ROTATE_90), (8, Image.Transpose.ROTATE_270)],
)
def test_a_photo_is_read_upright_whatever_its_exif_orientation(reader, slip, orientation, turn):
    exif = Image.Exif()
    exif[0x0112] = orientation
    photo = slip if turn is None else slip.transpose(turn)
    assert fields(reader.read(encoded(photo, "JPEG", quality=92, exif=exif), timeout=LIMIT)) == CAFE


@pytest.mark.case("C033")
@pytest.mark.parametrize("turn", [Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_270])
def test_a_turned_page_without_exif_gives_the_same_fields_or_says_that_it_was_hardly_read(reader, slip, turn):
    reading = reader.read(encoded(slip.transpose(turn)), timeout=LIMIT)
    assert fields(reading) == CAFE or "LOW_OCR_CONFIDENCE" in reading.receipt.review_reasons
    assert len(reading.passes) > 1
    assert sum(each.selected for each in reading.passes) == 1


def deep(slip):
    return encoded(Image.fromarray(np.asarray(slip).astype(np.uint16) * 257))


def clear(slip):
    ink = Image.new("RGBA", slip.size, (0, 0, 0, 0))
    ink.putalpha(slip.point(lambda level: 255 - level))
    return encoded(ink)


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(deep, id="16 bits"),
        pytest.param(clear, id="transparent"),
        pytest.param(lambda slip: encoded(slip.convert("RGB").convert("CMYK"), "JPEG", quality=92), id="CMYK"),
        pytest.param(lambda slip: encoded(slip.convert("P")), id="palette"),
        pytest.param(lambda slip: encoded(slip.convert("RGB"), "WEBP", quality=92), id="WebP"),
        pytest.param(lambda slip: encoded(slip, "TIFF", compression="tiff_lzw"), id="TIFF"),
        pytest.param(lambda slip: encoded(slip.convert("RGB"), "PDF", resolution=200), id="scanned PDF"),
    ],
)
def test_each_form_of_the_same_picture_gives_the_same_fields(reader, slip, document):
    assert fields(reader.read(document(slip), timeout=LIMIT)) == CAFE


def test_each_page_of_a_tiff_is_a_pass(reader, slip):
    half = slip.height // 2
    pages = [slip.crop((0, 0, slip.width, half)), slip.crop((0, half, slip.width, slip.height))]
    reading = reader.read(encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:]), timeout=LIMIT)
    assert reading.pages == 2
    assert {each.page_number for each in reading.passes if each.selected} == {1, 2}
    assert fields(reading) == CAFE


def test_a_text_layer_is_read_without_looking_at_the_page(reader):
    reading = reader.read((SAMPLES / "rail-text-layer.pdf").read_bytes(), timeout=LIMIT)
    assert [each.engine for each in reading.passes] == ["text-layer"]
    assert "ocr" not in reading.timings
    assert reading.receipt.total.value == "27.40"
    assert reading.receipt.total.box


def test_cyrillic_is_read_by_the_engine_that_knows_it(reader):
    reading = reader.read((SAMPLES / "gastronom-russian.jpg").read_bytes(), timeout=LIMIT)
    assert reading.engine == "tesseract"
    assert fields(reading)[1:] == ("2023-10-30", "994.90", "RUB")
    assert [each.engine for each in reading.passes if each.selected] == ["tesseract"]
    assert any(each.engine == "rapidocr" and not each.selected for each in reading.passes)


def test_every_key_of_every_field_crosses_the_pipe(reader, slip):
    receipt = reader.read(encoded(slip), timeout=LIMIT).receipt.model_dump(exclude_unset=True)
    assert set(SINGLE_FIELDS) <= set(receipt)
    assert all(len(receipt[name]) == 8 for name in SINGLE_FIELDS)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("encrypted.pdf", "PDF_ENCRYPTED"),
        ("truncated.jpg", "IMAGE_CORRUPT"),
        ("empty.pdf", "EMPTY_FILE"),
        ("text-named.jpg", "UNSUPPORTED_TYPE"),
        pytest.param("pixel-bomb.png", "IMAGE_TOO_LARGE", marks=pytest.mark.case("C025")),
    ],
)
def test_an_unreadable_sample_has_its_code(reader, name, code):
    with pytest.raises(Terminal) as refused:
        reader.read((SAMPLES / name).read_bytes(), timeout=LIMIT)
    assert refused.value.code == code
    assert psutil.Process(reader.pid).memory_info().rss < MEMORY


@pytest.mark.case("C029")
def test_a_pdf_beyond_repair_is_refused_once_with_a_hint(reader):
    with pytest.raises(Terminal) as refused:
        reader.read(b"%PDF-1.7\n" + b"no object here\n" * 20 + b"startxref\n99999\n%%EOF", timeout=LIMIT)
    assert refused.value.code == "PDF_CORRUPT"
    assert "repair by poppler" in refused.value.detail


def test_too_many_pages_are_refused_before_any_is_read(reader):
    blank = Image.new("1", (10, 10), 1)
    with pytest.raises(Terminal) as refused:
        reader.read(encoded(blank, "TIFF", save_all=True, append_images=[blank] * 100), timeout=LIMIT)
    assert refused.value.code == "TOO_MANY_PAGES"


def test_heic_without_the_extra_names_it(reader):
    with pytest.raises(Terminal) as refused:
        reader.read(b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00heicmif1", timeout=LIMIT)
    assert refused.value.code in {"UNSUPPORTED_TYPE", "IMAGE_CORRUPT"}
    assert refused.value.code == "IMAGE_CORRUPT" or "ledger-tasks[heic]" in refused.value.detail


def test_an_empty_page_is_unreadable_and_not_complete(reader):
    receipt = reader.read(encoded(Image.new("L", (400, 600), 255)), timeout=LIMIT).receipt
    assert receipt.extraction_status == "unreadable"
    assert receipt.review_reasons == ("NO_TEXT",)


@pytest.mark.case("C035")
def test_a_receipt_over_its_time_is_transient_and_the_next_one_is_read(slip):
    with Reader() as fresh:
        with pytest.raises(Transient) as stopped:
            fresh.read(encoded(slip), timeout=0.2)
        assert stopped.value.code == "TIMEOUT"
        assert fields(fresh.read(encoded(slip), timeout=LIMIT)) == CAFE


@pytest.mark.case("C026")
def test_a_reader_that_is_killed_is_lost_and_the_next_receipt_gets_a_new_one(slip):
    with Reader() as fresh:
        fresh.read(encoded(slip), timeout=LIMIT)
        first = fresh.pid
        busy = encoded(slip, "TIFF", save_all=True, append_images=[slip] * 20)
        threading.Timer(0.5, os.kill, (first, signal.SIGKILL)).start()
        with pytest.raises(Transient) as lost:
            fresh.read(busy, timeout=LIMIT)
        assert lost.value.code == "WORKER_LOST"
        assert fields(fresh.read(encoded(slip), timeout=LIMIT)) == CAFE
        assert fresh.pid != first


def test_a_reader_that_died_while_idle_costs_the_next_receipt_nothing(slip):
    with Reader() as fresh:
        fresh.read((SAMPLES / "rail-text-layer.pdf").read_bytes(), timeout=LIMIT)
        os.kill(fresh.pid, signal.SIGKILL)
        psutil.wait_procs([psutil.Process(fresh.pid)], timeout=10)
        assert fresh.read((SAMPLES / "rail-text-layer.pdf").read_bytes(), timeout=LIMIT).receipt.total.value == "27.40"


def test_a_reader_that_outgrows_its_memory_is_stopped(slip):
    with Reader(memory_megabytes=50) as small, pytest.raises(Transient) as stopped:
        small.read(encoded(slip), timeout=LIMIT)
    assert stopped.value.code == "MEMORY_LIMIT"


def test_a_reader_is_replaced_after_its_pages():
    document = (SAMPLES / "rail-text-layer.pdf").read_bytes()
    with Reader(pages_per_reader=2) as short:
        short.read(document, timeout=LIMIT)
        assert short.pid is not None
        short.read(document, timeout=LIMIT)
        assert short.pid is None


def test_a_reader_knows_no_secret_and_has_no_network(reader, monkeypatch):
    monkeypatch.setenv("RABBITMQ_URL", "amqp://user:secret@host/")
    with Reader() as fresh:
        fresh.read((SAMPLES / "rail-text-layer.pdf").read_bytes(), timeout=LIMIT)
        process = psutil.Process(fresh.pid)
        assert "RABBITMQ_URL" not in process.environ()
        if os.geteuid() == 0:
            devices = Path(f"/proc/{fresh.pid}/net/dev").read_text().splitlines()[2:]
            assert {line.split(":")[0].strip() for line in devices} == {"lo"}


def test_a_reader_ends_with_the_process_that_started_it(tmp_path):
    program = (
        "from pathlib import Path; import sys, time; from ledger_tasks.ocr.reading import Reader\n"
        f"reader = Reader(); reader.read(Path({str(SAMPLES / 'rail-text-layer.pdf')!r}).read_bytes(), timeout=60)\n"
        "print(reader.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    child = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    gone, alive = psutil.wait_procs([child], timeout=10)
    assert (gone, alive) == ([child], [])


def test_memory_stays_below_the_limit_over_pages_of_many_shapes(reader, slip):
    for step in range(12):
        size = (slip.width + 37 * step, slip.height - 23 * step)
        reader.read(encoded(slip.resize(size)), timeout=LIMIT)
    assert psutil.Process(reader.pid).memory_info().rss < MEMORY


@pytest.mark.case("C019")
@pytest.mark.parametrize(
    "photographed",
    [
        lambda page: encoded(page.rotate(90, expand=True), "JPEG", quality=70),
        lambda page: encoded(page.resize((page.width * 3 // 4, page.height * 3 // 4)), "JPEG", quality=60),
        lambda page: encoded(ImageOps.expand(page, (70, 40, 20, 90), 255)),
    ],
    ids=["sideways", "smaller", "with-a-border"],
)
def test_a_second_photograph_has_the_facts_and_the_picture_of_the_first(reader, slip, photographed):
    first, second = (reader.read(each, timeout=LIMIT) for each in (encoded(slip), photographed(slip)))
    assert fields(second) == fields(first)
    assert (int(first.page_signature, 16) ^ int(second.page_signature, 16)).bit_count() <= ALIKE_BITS


def test_a_text_layer_has_no_picture(reader):
    assert reader.read((SAMPLES / "rail-text-layer.pdf").read_bytes(), timeout=LIMIT).page_signature is None
