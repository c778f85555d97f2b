"""`ledger recognizer tabular|image`: our reference services run until SIGTERM."""

import asyncio
import signal
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Annotated, Literal

import typer

from ledger_tasks import logs
from ledger_tasks.objects.store import ObjectStore
from ledger_tasks.recognizers.answers import Contract, Service
from ledger_tasks.recognizers.outcome import Found
from ledger_tasks.recognizers.service import Recognizer
from ledger_tasks.settings import RecognizerSettings, load

InContract = Annotated[Contract, typer.Option(help="Which MAJOR the answers speak.")]


def tabular(contract: InContract = "2.0") -> None:
    """Read trial balances (XLSX, XLS, ODS) for the exchange; several share the work.

    Example: `ledger recognizer tabular --contract 2.0`
    """
    from ledger_tasks.recognizers.apart import prepare, read_apart  # noqa: PLC0415
    from ledger_tasks.recognizers.tabular import read_workbook  # noqa: PLC0415

    settings = load(RecognizerSettings)
    prepare("ledger_tasks.recognizers.tabular")
    _run("tabular", contract, settings, partial(read_apart, read_workbook))


def image(contract: InContract = "2.0") -> None:
    """Read pictures and PDF of receipts for the exchange; several share the work.

    Example: `ledger recognizer image`
    """
    from ledger_tasks.ocr.reading import Reader  # noqa: PLC0415
    from ledger_tasks.recognizers.image import read_picture  # noqa: PLC0415

    settings = load(RecognizerSettings)
    reader = Reader(
        settings.ocr_engine,
        pages_per_reader=settings.ocr_pages_per_reader,
        memory_megabytes=settings.ocr_memory_megabytes,
    )
    _run("image", contract, settings, partial(read_picture, reader, seconds=settings.ocr_timeout_seconds))


def _run(
    pipeline: Literal["tabular", "image"],
    contract: Contract,
    settings: RecognizerSettings,
    read: Callable[[bytes], Found],
) -> None:
    logs.configure(f"recognizer-{pipeline}", settings.ledger_log_level)
    recognizer = Recognizer(
        Service(f"{pipeline}-parser", version("ledger-tasks"), contract),
        settings,
        ObjectStore(settings),
        settings.subjects[f"{pipeline}_request"],
        f"recognizer-{pipeline}",
        read,
    )
    asyncio.run(_until_signal(recognizer))


async def _until_signal(recognizer: Recognizer) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, recognizer.stop)
    await recognizer.run()
