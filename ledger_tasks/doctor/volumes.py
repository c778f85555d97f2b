"""The shared volumes: mounted, belonging together, writable, with room, and with locks that exclude."""

import os
import shutil
from collections.abc import Iterator
from typing import Final

from ledger_tasks.clock import new_id
from ledger_tasks.doctor.finding import Finding
from ledger_tasks.errors import Infrastructure
from ledger_tasks.files.locks import source_lock
from ledger_tasks.files.shared import write_whole
from ledger_tasks.files.volumes import initialise, prove
from ledger_tasks.settings import VolumeSettings

LOW_SPACE: Final = 1024**3
"""Free bytes of the cache volume below which a batch may fill it."""


def examine_volumes(settings: VolumeSettings, *, init: bool) -> Iterator[Finding]:
    """Yield what is found; with `init`, proofs that are missing are written first. Raises Infrastructure."""
    root, cache = settings.receipt_source_root, settings.home_budget_ocr_cache
    if init:
        initialise(root, cache)
    try:
        prove(root, cache)
        yield Finding("volumes", "ok", "receipt root and cache are mounted and belong together")
    except Infrastructure as trouble:
        remedy = "Mount them; for new volumes run `ledger doctor --init` once."
        yield Finding("volumes", "wrong", f"{trouble.code}: {trouble.detail}", remedy)
        return
    probe = cache / f".doctor-{new_id()}"
    write_whole(probe, b"")
    probe.unlink()
    yield Finding("cache volume", "ok", "it can be written")
    free = shutil.disk_usage(cache).free
    if free < LOW_SPACE:
        yield Finding("cache space", "warning", f"{free // 1024**2} MiB free", "Free space or enlarge the volume.")
    else:
        yield Finding("cache space", "ok", f"{free // 1024**2} MiB free")
    yield _lock_finding(settings)


def _lock_finding(settings: VolumeSettings) -> Finding:
    """Take one lock twice, the second time in another process: a volume without exclusion would grant both."""
    name = f"doctor-{os.getpid()}"
    with source_lock(settings.home_budget_ocr_cache, name, seconds=1) as held:
        child = os.fork()
        if child == 0:
            try:
                with source_lock(settings.home_budget_ocr_cache, name, seconds=0):
                    os._exit(1)
            except Infrastructure:
                os._exit(0)
        granted = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
        held.path.unlink()
    if granted:
        remedy = "Mount it with working locks (NFSv4, or `local_lock=none`)."
        return Finding("volume locks", "wrong", "two processes got one lock", remedy)
    return Finding("volume locks", "ok", "two processes exclude each other")
