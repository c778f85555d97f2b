"""Does the broker still have what we gave it? One message that nobody takes is the witness."""

from typing import Final

from contracts.wire import canonical
from ledger_tasks.messaging.depth import depth_of
from ledger_tasks.messaging.message import Message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import EPOCH

_KEY: Final = "epoch"


def is_epoch_over(publisher: Publisher) -> bool:
    """Say whether the broker lost its data (or was never used) since the epoch message was written.

    Raises BrokerAwayError when the broker does not say.
    """
    with publisher.connection().channel() as channel:
        return depth_of(channel, EPOCH).ready == 0


def begin_epoch(publisher: Publisher, epoch: str) -> None:
    """Write the witness. Raises BrokerAwayError or NotConfirmedError."""
    publisher.publish([Message(EPOCH, _KEY, canonical({"epoch": epoch}), epoch, "ledger.epoch.v1")])
