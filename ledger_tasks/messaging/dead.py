"""The dead queues: looked at without losing, reordering or using up a letter, and emptied of chosen ones."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from kombu import Connection

from ledger_tasks.messaging.depth import Depth, depth_of
from ledger_tasks.messaging.letter import FAMILY_NAMES, DeadCopy, identified
from ledger_tasks.messaging.publish import BrokerAwayError
from ledger_tasks.messaging.topology import Family

GROUP: Final = 16
"""Letters given back at once: larger groups came back in another order, groups of 16 kept 400 in order."""

LETTERS_PER_CONSUMER: Final = 2000
"""RabbitMQ gives a consumer of a quorum queue no more at once, also one that sets no limit."""

SILENCE_SECONDS: Final = 10.0
POLL_SECONDS: Final = 0.01


def look(connection: Connection, family_name: str) -> list[DeadCopy]:
    """Return every letter of a family's dead queue, oldest first. One look at a time: the caller holds a lock."""
    family = FAMILY_NAMES[family_name]
    with _held(connection, family) as held:
        return identified(family_name, [message for _, message in held.letters])


def remove(connection: Connection, family_name: str, chosen: Callable[[DeadCopy], bool]) -> int:
    """Acknowledge the chosen letters and give back the others in order; return how many went."""
    family = FAMILY_NAMES[family_name]
    with _held(connection, family) as held:
        copies = identified(family_name, [message for _, message in held.letters])
        gone = [tag for (tag, _), copy in zip(held.letters, copies, strict=True) if chosen(copy)]
        held.acknowledge(gone)
        return len(gone)


class _Held:
    """Letters taken from one dead queue and not yet given back."""

    def __init__(self, channel: Any, queue: str) -> None:
        self._channel = channel
        self._queue = queue
        self.letters: list[tuple[int, Any]] = []

    def take(self) -> None:
        """Take what is ready now; what arrives meanwhile may come too.

        One that was killed while it looked holds letters until the broker has noticed: its consumer is waited for.
        Raises BrokerAwayError when that lasts.
        """
        self._wait(lambda depth: not depth.consumers)
        tags: list[str] = []
        depth = Depth(ready=1, consumers=0)
        while depth.ready:
            tags.append(self._channel.basic_consume(self._queue, callback=self._arrived))
            depth = self._wait(partial(self._is_taken, len(tags)))
        self._in_step()
        for tag in tags:
            self._channel.basic_cancel(tag)

    def acknowledge(self, tags: list[int]) -> None:
        """Take these out of the queue; they are gone for good when this has been `settled`."""
        for tag in tags:
            self._channel.basic_ack(tag)
        gone = set(tags)
        self.letters = [letter for letter in self.letters if letter[0] not in gone]

    def give_back(self) -> None:
        """Return the rest in groups, each group only once the one before is ready again: that keeps the order."""
        for first in range(0, len(self.letters), GROUP):
            group = self.letters[first : first + GROUP]
            back = depth_of(self._channel, self._queue).ready + len(group)
            for tag, _ in group:
                self._channel.basic_reject(tag, requeue=True)
            self._wait(partial(_is_back, back))

    def settled(self) -> None:
        """Wait until the queue has forgotten our consumers, as it does when nothing of theirs is open.

        A channel keeps what goes beyond 32 open commands to a quorum queue for itself, and when it closes they are
        lost: without this, 367 of 400 acknowledged letters were seen to come back.
        """
        self._wait(lambda depth: not depth.consumers)

    def _is_taken(self, consumers: int, depth: Depth) -> bool:
        """Say whether nothing is ready, or our consumers can hold no more.

        An answer that does not count them comes from a broker that does not know.
        """
        is_full = len(self.letters) >= consumers * LETTERS_PER_CONSUMER
        return depth.consumers == consumers and (is_full or not depth.ready)

    def _wait(self, reached: Callable[[Depth], bool]) -> Depth:
        deadline = time.monotonic() + SILENCE_SECONDS
        while not reached(depth := depth_of(self._channel, self._queue)):
            if time.monotonic() > deadline:
                raise BrokerAwayError(f"{self._queue} does not give its letters, or another holds them")
            time.sleep(POLL_SECONDS)
        return depth

    def _in_step(self) -> None:
        """Wait for an answer on this channel: what was sent before it has been read, what was due before it is here."""
        depth_of(self._channel, self._queue)

    def _arrived(self, message: Any) -> None:
        self.letters.append((message.delivery_info["delivery_tag"], message))


@contextmanager
def _held(connection: Connection, family: Family) -> Iterator[_Held]:
    with connection.channel() as channel:
        held = _Held(channel, family.dead)
        try:
            held.take()
            yield held
        finally:
            held.give_back()
        held.settled()


def _is_back(ready: int, depth: Depth) -> bool:
    return depth.ready >= ready
