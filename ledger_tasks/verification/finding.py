"""PURE. A difference comes in as a code and what it is about; a finding with its remedy and next command goes out."""

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

Verdict = Literal["wrong", "notice"]


class Kind(NamedTuple):
    """What a code means; {ref} of `next` stands for the path, or the hash where no path is known."""

    verdict: Verdict
    detail: str
    remedy: str
    next: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference. `wrong` is to be repaired, a `notice` repairs itself or may be meant."""

    verdict: Verdict
    code: str
    source_reference: str | None
    source_sha256: str | None
    detail: str
    remedy: str
    next: str


def finding(code: str, reference: str | None, sha256: str | None, what: str = "") -> Finding:
    """Make the finding of a code; `what` is added to its words."""
    kind = KINDS[code]
    about = {"ref": reference or sha256 or ""}
    detail = f"{kind.detail}: {what}" if what else kind.detail
    return Finding(kind.verdict, code, reference, sha256, detail, kind.remedy, kind.next.format(**about))


_CACHE: Final = "ledger ocr-cache rebuild --source-reference '{ref}'"
_REREAD: Final = "ledger receipts reprocess '{ref}'"
_REDERIVE: Final = "ledger rebuild --from-files"
_SCAN: Final = "ledger receipts publish"
_SHOW: Final = "ledger receipts explain '{ref}'"

KINDS: Final = {
    "SOURCE_UNUSABLE": Kind("wrong", "the file cannot be a receipt", "Repair or rename the file.", _SCAN),
    "SOURCE_ALTERED": Kind(
        "wrong",
        "the content has changed and its size and times have not: the disk may be failing",
        "Bring the file back from a backup of the receipts.",
        _SHOW,
    ),
    "SOURCE_GONE": Kind(
        "wrong",
        "a reading stands and no file below the root has its content",
        "Put the file back; what was read and booked of it stays either way.",
        _SHOW,
    ),
    "SOURCE_UNKNOWN": Kind("notice", "no scan has seen this content yet", "Nothing: the next scan finds it.", _SCAN),
    "CACHE_DAMAGED": Kind("wrong", "the cache cannot be read", "Make it anew; extraction and status stay.", _CACHE),
    "CACHE_FOREIGN": Kind("wrong", "the cache is that of another content", "Make it anew.", _CACHE),
    "CACHE_MISSING": Kind(
        "wrong",
        "a reading stands and no path of it has a cache",
        "Put it back from its artifact, or make it anew.",
        _REDERIVE,
    ),
    "CACHE_ORPHAN": Kind("notice", "the cache belongs to no file", "Put the file back, or remove the cache.", _SCAN),
    "CACHE_UNTOLD": Kind(
        "notice",
        "a reading stands and no row names this cache: its results are under way, or were lost",
        "Wait until the queues are empty; if it stays, make the cache anew.",
        _CACHE,
    ),
    "ARTIFACT_MISSING": Kind(
        "wrong", "the run that stands names an artifact that is gone", "Import a backup, or read it again.", _REREAD
    ),
    "ARTIFACT_OLD_MISSING": Kind(
        "notice",
        "a replaced run names an artifact that is gone",
        "Nothing: housekeeping forgets it after RETENTION_DAYS.",
        "ledger housekeeping",
    ),
    "ARTIFACT_DAMAGED": Kind(
        "wrong", "the artifact is not the content that its name says", "Remove it and read the receipt again.", _REREAD
    ),
    "MARKER_DAMAGED": Kind(
        "notice",
        "a completion marker cannot be read, and counts as absent",
        "Nothing: housekeeping removes it after RETENTION_DAYS.",
        "ledger housekeeping",
    ),
    "MARKER_UNTOLD": Kind(
        "notice",
        "a request is finished and confirmed, and no row says so: its results are under way, or were lost",
        "Wait until the queues are empty; if it stays, read the receipt again.",
        _REREAD,
    ),
    "READING_LOST": Kind("wrong", "a run stands and its reading is gone", "Derive it from the files.", _REDERIVE),
    "RUN_LOST": Kind("wrong", "a reading stands and its run is gone", "Read the receipt again.", _REREAD),
    "BOOKING_LOST": Kind("wrong", "the reading is complete and nothing is booked", "Read it again.", _REREAD),
    "BOOKING_DIFFERS": Kind("wrong", "the booking does not say what the receipt says", "Read it again.", _REREAD),
    "BOOKING_WITHOUT_READING": Kind(
        "wrong", "a booking is owned by a receipt that was never read", "Derive it from the files.", _REDERIVE
    ),
    "STATUS_DIFFERS": Kind(
        "wrong",
        "the status does not follow from the reading",
        "Build schema ingest anew.",
        "ledger database rebuild-ingest",
    ),
    "STATUS_WITHOUT_READING": Kind(
        "wrong", "the receipt counts as done and was never read", "Derive it from the files.", _REDERIVE
    ),
    "COUNTS_DIFFER": Kind(
        "wrong",
        "status and pages show another number than there are rows",
        "Build schema ingest anew: that counts again.",
        "ledger database rebuild-ingest",
    ),
}
"""Every difference that `ledger verify` knows."""
