"""A new file for recognition: a stream comes in, a stored object and a queued job go out, or neither."""

import hashlib
import logging
import time
import unicodedata
from pathlib import PurePosixPath
from typing import IO, Final, NamedTuple

from contracts.recognition.words import Pipeline
from ledger_tasks.errors import Infrastructure, UsageError
from ledger_tasks.objects.store import ObjectStore
from ledger_tasks.recognition.ticks import Exchange
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.recognition_files import Upload, insert_submission
from ledger_tasks.tracing import began

CHUNK: Final = 1024 * 1024
NAME_LIMIT: Final = 120
"""Characters of a name that go into the key: below what file systems take in bytes, in any script."""

TYPE_LIMIT: Final = 200
"""Characters of a content type that a request takes."""

log = logging.getLogger(__name__)


class Submitted(NamedTuple):
    """What was made; `status` is that of the job."""

    file_id: str
    job_id: str
    status: str = "queued"


class Submission(NamedTuple):
    """What somebody sends. Any type of file is taken: the recognizer judges it."""

    name: str
    content: IO[bytes]
    content_type: str | None
    pipeline: Pipeline
    consolidation_id: str | None = None


def submit(exchange: Exchange, file_id: str, submission: Submission) -> Submitted:
    """Store the file, then insert object, file and queued job in one transaction.

    Raises UsageError for an empty file, Infrastructure when the store or the database is away; then nothing is left.
    """
    begun = time.time_ns()
    name = PurePosixPath(submission.name.replace("\\", "/")).name.replace("\0", "") or "file"
    size, sha256 = _measure(submission.content)
    if size == 0:
        raise UsageError("the file is empty")
    upload = Upload(
        file_id,
        exchange.settings.object_store_bucket,
        f"uploads/{file_id}/{key_name(name)}",
        name,
        (submission.content_type or "application/octet-stream")[:TYPE_LIMIT],
        size,
        sha256,
        submission.consolidation_id,
    )
    exchange.store.put(upload.bucket, upload.key, submission.content)
    try:
        with transaction(exchange.engine) as connection:
            attempts = exchange.settings.recognition_max_attempts
            job_id = insert_submission(connection, upload, submission.pipeline, attempts)
    except BaseException:
        _take_back(exchange.store, upload)
        raise
    began("recognition.submit", [job_id], begun, file=file_id, pipeline=submission.pipeline)
    return Submitted(file_id, job_id)


def key_name(name: str) -> str:
    """Return a name that every object store and file system takes: no separator, control or leading point."""
    printable = "".join("_" if unicodedata.category(each)[0] == "C" or each in '/\\:*?"<>|' else each for each in name)
    path = PurePosixPath(printable.strip(" .") or "file")
    return f"{path.stem[: NAME_LIMIT - len(path.suffix[:20])]}{path.suffix[:20]}"


def _measure(content: IO[bytes]) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    while chunk := content.read(CHUNK):
        digest.update(chunk)
        size += len(chunk)
    content.seek(0)
    return size, digest.hexdigest()


def _take_back(store: ObjectStore, upload: Upload) -> None:
    try:
        store.delete(upload.bucket, upload.key)
    except Infrastructure as error:
        log.warning("an object without a file is left: %s/%s (%s)", upload.bucket, upload.key, error)
