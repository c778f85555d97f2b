"""What is said about recognition jobs and by the HTTP interface."""

from typing import Final

from ledger_tasks.explanations.explanation import Explanation

_SHOW: Final = "ledger recognition show {id}"
_RETRY: Final = "ledger recognition retry {id}"
_HELP: Final = "ledger serve --help"

EXCHANGE: Final[dict[str, Explanation]] = {
    # Ours, when a job ends.
    "NO_ACK": Explanation(
        "No recognition service took the job, after every republication.",
        "Start the service that listens to the request subject, then retry.",
        _RETRY,
    ),
    "REQUEST_INVALID": Explanation(
        "The job could not be written as a request.", "Correct the file's row, then retry.", _SHOW
    ),
    "RESULT_KEY_CONFLICT": Explanation(
        "The service named a result object that is registered for another purpose.",
        "Correct the service; it must write below results/.",
        _SHOW,
    ),
    "UNSPECIFIED": Explanation(
        "The service said `error` without a code.", "Read the service's log, and correct the service.", _SHOW
    ),
    "LEGACY_WARNING": Explanation(
        "A service of contract 1.x warned in words of its own.", "Read the message; there is nothing else.", _SHOW
    ),
    # What hinders the exchange; no job changes for it.
    "NATS_UNAVAILABLE": Explanation(
        "NATS is away, keeps us out, or took a message without proof.",
        "Start it or correct NATS_URL and the credentials; jobs stay queued and go out by themselves.",
        "ledger doctor",
    ),
    "NO_RESPONDERS": Explanation(
        "Requests were published and no recognition service listens on their subject.",
        "Start the service; what is not acknowledged is published again until it becomes NO_ACK.",
        "ledger recognition jobs --status published",
    ),
    "SUBJECT_REFUSED": Explanation(
        "The NATS server does not let us publish on a request subject.",
        "Give our NATS user the permission, or correct the subject; the jobs stay queued.",
        "ledger recognition jobs --status queued",
    ),
    # Those of our own recognition services; others may have their own.
    "UNSUPPORTED_FORMAT": Explanation(
        "The file is none that the service reads.", "Save it as XLSX, XLS, ODS, PDF, JPEG or PNG.", _SHOW
    ),
    "EMPTY_DOCUMENT": Explanation(
        "Nothing in the file is a document.", "Look at the file; bring the right one.", _SHOW
    ),
    "READ_FAILED": Explanation("The file could not be read.", "Open and save it again, then retry.", _RETRY),
    "UNREAD_AMOUNT": Explanation(
        "A cell that should hold an amount holds something else.", "Correct the cell, then upload the file.", _SHOW
    ),
    "TOTAL_MISMATCH": Explanation(
        "The rows do not add up to the total of the document.", "Compare with the document.", _SHOW
    ),
    # Why a file is not tried again.
    "FILE_NOT_RETRYABLE": Explanation("The file cannot be tried again now.", "Read the reason beside the code.", _SHOW),
    "NOT_FAILED": Explanation("The last attempt did not fail.", "Nothing: only failures are tried again.", _SHOW),
    "IN_PROGRESS": Explanation("An attempt is under way.", "Wait for its end.", _SHOW),
    "MAX_ATTEMPTS": Explanation(
        "The file was tried as often as its limit allows.", "Repair the cause, then upload the file again.", _SHOW
    ),
    # The HTTP interface.
    "FILE_NOT_FOUND": Explanation("No file has this id.", "Look it up.", "ledger recognition status"),
    "JOB_NOT_FOUND": Explanation("No job has this id.", "Look at the jobs of its file.", _SHOW),
    "UNAUTHORIZED": Explanation(
        "No valid token came along.", "Send one of LEDGER_API_TOKENS as a bearer token.", _HELP
    ),
    "FORBIDDEN": Explanation("The token may read only.", "Use a token of scope operate.", _HELP),
    "TOO_MANY_WRONG_TOKENS": Explanation(
        "Too many wrong tokens came from this address.", "Wait as long as Retry-After says; correct the token.", _HELP
    ),
    "UNUSABLE": Explanation("The request cannot be carried out as it is.", "Read the reason beside the code.", _HELP),
}
