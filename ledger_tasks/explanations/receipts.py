"""What is said about a receipt: failures, infrastructure and reasons for a review."""

from typing import Final

from ledger_tasks.explanations.explanation import Explanation

_REPLAY: Final = "ledger dead replay --id {id}"
_PURGE: Final = "ledger dead purge --id {id}"
_RETRY: Final = "ledger receipts retry {ref}"
_REVIEW: Final = "ledger receipts review"
_DOCTOR: Final = "ledger doctor"

RECEIPTS: Final[dict[str, Explanation]] = {
    # Failures of a receipt or a message.
    "CONTRACT_INVALID": Explanation(
        "The body breaks the message contract.",
        "Correct the program that published it; the body is kept in the dead letter.",
        "ledger dead show {id}",
    ),
    "VERSION_UNKNOWN": Explanation(
        "The message has a version that this worker does not know.",
        "Upgrade the workers first, then replay it.",
        _REPLAY,
    ),
    "BODY_TOO_LARGE": Explanation(
        "The body is larger than its contract allows.", "Correct the program that published it.", _PURGE
    ),
    "PATH_UNSAFE": Explanation(
        "The path leaves the receipt root or is no plain relative path.",
        "Correct the publisher, or move the file below the receipt root.",
        _PURGE,
    ),
    "HASH_MISMATCH": Explanation(
        "The file changed between discovery and reading.",
        "Nothing: the next scan finds the new content.",
        "ledger receipts publish",
    ),
    "SOURCE_MISSING": Explanation(
        "The file is gone, and the receipt volume is mounted.",
        "Put the file back, then replay; or purge the letter.",
        _REPLAY,
    ),
    "EMPTY_FILE": Explanation("The file holds no byte.", "Scan or copy the receipt again.", _PURGE),
    "UNSUPPORTED_TYPE": Explanation(
        "The content is no PDF or image that can be read, whatever the name says.",
        "Save it as PDF, JPEG or PNG; for HEIC install the extra `heic`.",
        _PURGE,
    ),
    "PDF_ENCRYPTED": Explanation("The PDF needs a password.", "Save a copy without one beside it.", _PURGE),
    "PDF_CORRUPT": Explanation("The PDF is damaged.", "Export or scan it again.", _PURGE),
    "NO_PAGES": Explanation("The document has no page.", "Export or scan it again.", _PURGE),
    "TOO_MANY_PAGES": Explanation("The document has more pages than a receipt may have.", "Split it.", _PURGE),
    "IMAGE_CORRUPT": Explanation("The image is damaged or cut off.", "Scan or copy the receipt again.", _PURGE),
    "IMAGE_TOO_LARGE": Explanation(
        "The image or page has more pixels or bytes than can be read safely.", "Save it at a lower resolution.", _PURGE
    ),
    "TIMEOUT": Explanation(
        "OCR took longer than its limit three times (for a recognition job: no result before its deadline).",
        "Look at the load of the workers, then retry; split or shrink the document if it stays.",
        _RETRY,
    ),
    "MEMORY_LIMIT": Explanation(
        "Reading the document took more memory than a worker may use.", "Save it at a lower resolution.", _RETRY
    ),
    "ENGINE_FAILED": Explanation("The OCR engine failed three times.", "Read the worker's log, then retry.", _RETRY),
    "RESULT_TOO_LARGE": Explanation("The result is larger than 8 MiB.", "Split the document.", _PURGE),
    "WORKER_LOST": Explanation(
        "The worker died at this receipt three times.",
        "Read the kernel's and the worker's log (out of memory?), then retry.",
        _RETRY,
    ),
    "DELIVERIES_EXHAUSTED": Explanation(
        "The broker delivered the message too often without an outcome.",
        "Find out why workers lost it (health, memory, restarts), then replay.",
        _REPLAY,
    ),
    "INTERNAL_ERROR": Explanation(
        "A bug of ours; the traceback is in the worker's log.",
        "Report it with the message id; replay after the upgrade.",
        _REPLAY,
    ),
    # Infrastructure: held, never dead.
    "VOLUME_NOT_PROVEN": Explanation(
        "A shared volume is not mounted, or another one is.", "Mount it; work resumes by itself.", _DOCTOR
    ),
    "VOLUME_UNREADABLE": Explanation(
        "The receipt root cannot be opened or read.", "Check mount and permissions; work resumes by itself.", _DOCTOR
    ),
    "SOURCE_UNREADABLE": Explanation(
        "The file is there and cannot be read.", "Check permissions and the volume; work resumes by itself.", _DOCTOR
    ),
    "CACHE_UNAVAILABLE": Explanation(
        "The cache volume is full, read-only or failing.", "Free space or repair it; work resumes by itself.", _DOCTOR
    ),
    "SCRATCH_UNAVAILABLE": Explanation(
        "The temporary folder of a worker is full, read-only or failing.",
        "Free space there (TMPDIR); work resumes by itself.",
        _DOCTOR,
    ),
    "NEW_RECEIPTS_FIRST": Explanation(
        "Work of a batch lets receipts pass that were published after it; it uses no attempt.",
        "Nothing: it comes again after the retry delay.",
        "ledger status",
    ),
    "LOCK_BUSY": Explanation(
        "Another worker holds the same receipt.", "Nothing: it is handed back and comes again.", "ledger status"
    ),
    "BROKER_UNAVAILABLE": Explanation(
        "RabbitMQ did not confirm.", "Start or repair it; work resumes by itself.", _DOCTOR
    ),
    "DATABASE_UNAVAILABLE": Explanation(
        "PostgreSQL cannot be used.", "Start or repair it; results wait in their queue.", _DOCTOR
    ),
    "OBJECT_STORE_UNAVAILABLE": Explanation(
        "The object store cannot be used.", "Check OBJECT_STORE_URL and the store.", _DOCTOR
    ),
    "OBJECT_STORE_FORBIDDEN": Explanation(
        "The object store answers and refuses us an object.",
        "Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or what they may do with the bucket; "
        "results are asked for again until REPLY_DEADLINE_SECONDS have passed.",
        _DOCTOR,
    ),
    # Review: read, and a person must look.
    "DATE_MISSING": Explanation("No date was found.", "Look at the receipt and enter it.", _REVIEW),
    "DATE_AMBIGUOUS": Explanation("Day and month could be exchanged.", "Choose one of the two.", _REVIEW),
    "TOTAL_MISSING": Explanation("No total was found.", "Look at the receipt and enter it.", _REVIEW),
    "TOTAL_AMBIGUOUS": Explanation("More than one amount could be the total.", "Choose one.", _REVIEW),
    "NO_TEXT": Explanation("Nothing was read on the page.", "Scan it again, or enter it by hand.", _REVIEW),
    "LOW_OCR_CONFIDENCE": Explanation("The page was read badly.", "Compare with the picture; scan it again.", _REVIEW),
    "DATE_IMPLAUSIBLE": Explanation(
        "The date is before its tax or currency existed, before 1990 or in the future.", "Correct the date.", _REVIEW
    ),
    "DATE_UNCONFIRMED": Explanation("The date was read and nothing confirms it.", "Compare with the picture.", _REVIEW),
    "TOTAL_UNCONFIRMED": Explanation(
        "The total was read and nothing confirms it.", "Compare with the picture.", _REVIEW
    ),
    "SUM_MISMATCH": Explanation("Subtotal and tax give another total.", "Compare with the picture.", _REVIEW),
    "PAYMENT_MISMATCH": Explanation("Paid less change is another total.", "Compare with the picture.", _REVIEW),
    "ITEMS_MISMATCH": Explanation("The items give another sum.", "Compare with the picture.", _REVIEW),
    "DISCOUNT_LARGE": Explanation(
        "More than a third was taken off: the amounts before and after may both be meant.", "Choose one.", _REVIEW
    ),
    "CURRENCY_AMBIGUOUS": Explanation("Two currencies are printed.", "Enter the one that was paid.", _REVIEW),
    "TWO_RECEIPTS": Explanation("Two receipts lie on one page.", "Scan them apart.", _REVIEW),
    "MERCHANT_MISSING": Explanation("No merchant was found.", "Look at the receipt and enter it.", _REVIEW),
    "CURRENCY_UNKNOWN": Explanation("Nothing says which currency this is.", "Enter it once for the merchant.", _REVIEW),
    "EXPENSE_AMBIGUOUS": Explanation(
        "Two or more expenses could belong to this receipt.", "Choose the one that does.", _REVIEW
    ),
    "POSSIBLE_DUPLICATE": Explanation(
        "Another receipt has the same facts, or looks the same.",
        "Look at both: accept it if both are real, else set it aside: `ledger receipts correct ID booking=copy:ID`.",
        _REVIEW,
    ),
}
