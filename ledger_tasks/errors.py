"""Expected failures, each with a code; a surprise is never one of these."""

from contracts.receipts.codes import FailureCode


class LedgerError(Exception):
    """An expected failure that a command reports: what, and what to do next. `exit_code` as in RECEIPTS section 9."""

    exit_code = 1

    def __init__(self, message: str, *, remedy: str = "", next_command: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.next_command = next_command


class UsageError(LedgerError):
    """The words of the command are wrong."""

    exit_code = 2


class NotFoundError(LedgerError):
    """The named object does not exist, or nothing matched a selection."""

    exit_code = 3


class PartlyConfirmedError(LedgerError):
    """Some publications were confirmed, the rest certainly not."""

    exit_code = 4


class FailedForGoodError(LedgerError):
    """The work ended in failure."""

    exit_code = 5


class NeedsReviewError(LedgerError):
    """The work ended, and a person must look."""

    exit_code = 6


class DependencyDownError(LedgerError):
    """A server or volume is away, and nothing was done."""

    exit_code = 7


class FateUnknownError(LedgerError):
    """A publication was sent and neither confirmed nor refused."""

    exit_code = 8


class ConfigurationError(LedgerError):
    """A setting or the topology is wrong; waiting does not help."""

    exit_code = 9


class ConflictError(LedgerError):
    """The object is in a state that forbids the change."""

    exit_code = 10


class WaitTimeoutError(LedgerError):
    """The outcome did not come within --timeout."""

    exit_code = 124


class ReceiptError(Exception):
    """A receipt could not be processed; the three subclasses decide what happens next."""

    def __init__(self, code: FailureCode | str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = str(code)
        self.detail = detail[:512]


class Terminal(ReceiptError):
    """Another attempt cannot succeed."""


class Transient(ReceiptError):
    """Another attempt may succeed; it uses one of three."""


class Infrastructure(ReceiptError):
    """Nothing is wrong with the receipt: a server, a volume or a disk is. Uses no attempt."""
