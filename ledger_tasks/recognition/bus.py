"""Core NATS, and the only importer of its client: settings come in, a proven publication or a subscription goes out."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg

from ledger_tasks.errors import Infrastructure
from ledger_tasks.recognition.credentials import credentials
from ledger_tasks.settings import NatsSettings

CONNECT_SECONDS: Final = 2
PROOF_SECONDS: Final = 2
"""Limit of sending, and of proving what was sent. A healthy server takes milliseconds; the publisher's transaction is
open meanwhile and must stay short."""

_ONE_ATTEMPT: Final[dict[str, Any]] = {
    "allow_reconnect": False,
    "max_reconnect_attempts": 1,  # 0 and -1 both mean for ever
    "reconnect_time_wait": 0.1,
    "connect_timeout": CONNECT_SECONDS,
}
_REFUSED: Final = re.compile(r'permissions violation for (publish|subscription) to "([^"]+)"', re.IGNORECASE)
_HEADER: Final = "Nats-Msg-Id"
_NO_RESPONDERS: Final = "503"


class BusDown(Infrastructure):
    """The server is away, refuses us, or took a message without proof."""

    def __init__(self, detail: str) -> None:
        super().__init__("NATS_UNAVAILABLE", detail)


class Outgoing(NamedTuple):
    """One message to publish."""

    subject: str
    body: bytes
    message_id: str


class Incoming(NamedTuple):
    """One message received; `message_id` is None when the sender gave none."""

    body: bytes
    message_id: str | None


@dataclass(slots=True)
class Link:
    """One connection that never mends itself: what happened to it stays visible, and its owner opens another."""

    client: Client
    errors: list[str] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def max_payload(self) -> int:
        """Bytes of body and headers that the server takes; one more closes the connection for good."""
        return int(self.client.max_payload)

    @property
    def last_error(self) -> str:
        """Return what the client or the server said last."""
        return self.errors[-1] if self.errors else ""

    async def note(self, error: Exception) -> None:
        """Keep what the server said. A refused subject is no broken connection; each is noted by its name."""
        refused = _REFUSED.search(str(error))
        if refused:
            self.refused.add(refused[2])
        else:
            self.errors.append(f"{type(error).__name__} {error}".strip()[:200])

    async def end(self) -> None:
        """Note that the connection is closed."""
        self.closed.set()

    async def prove(self) -> None:
        """Return only if the server has taken everything sent before. Raises BusDown.

        One `flush` proves nothing: its PING overtakes buffered publications. That of the second cannot, and there must
        have been no error on this connection, which is never another one, since it does not reconnect.
        """
        try:
            async with asyncio.timeout(PROOF_SECONDS):
                await self.client.flush()
                await self.client.flush()
        except (TimeoutError, nats.errors.Error, OSError) as error:
            raise BusDown(f"no proof from the server: {self.last_error or type(error).__name__}") from None
        if self.errors or not self.client.is_connected:
            raise BusDown(f"the connection broke: {self.last_error or 'closed'}")


@asynccontextmanager
async def link(settings: NatsSettings, name: str) -> AsyncIterator[Link]:
    """Connect once, without reconnecting, and close at the end. Raises BusDown."""
    found = Link(Client())
    try:
        async with asyncio.timeout(CONNECT_SECONDS + 1):
            await found.client.connect(
                settings.nats_url.get_secret_value(),
                name=name,
                error_cb=found.note,
                closed_cb=found.end,
                **_ONE_ATTEMPT,
                **credentials(settings),
            )
    except (TimeoutError, nats.errors.Error, OSError, ValueError) as error:
        raise BusDown(f"cannot connect: {found.last_error or type(error).__name__}") from None
    found.errors.clear()  # of a first attempt that a second one made good
    try:
        yield found
    finally:
        with suppress(TimeoutError, nats.errors.Error, OSError):
            async with asyncio.timeout(CONNECT_SECONDS):
                await found.client.close()


async def subscribe(
    found: Link, subject: str, group: str, take: Callable[[Incoming], None]
) -> Callable[[], Awaitable[None]]:
    """Hand every message of a subject to `take`, which must not block; return what ends it once all has been taken.

    Raises BusDown when we may not listen: a forbidden subscription looks fine and is deaf, so the server's word is
    waited for. `take` runs without a pause between messages: when the connection breaks, what was received is taken.
    """

    async def received(message: Msg) -> None:
        take(Incoming(message.data, (message.headers or {}).get(_HEADER)))

    async def end() -> None:
        with suppress(TimeoutError, nats.errors.Error, OSError):
            async with asyncio.timeout(PROOF_SECONDS):
                await subscription.drain()  # type: ignore[no-untyped-call]

    subscription = await found.client.subscribe(subject, queue=group, cb=received)
    await found.prove()
    if subject in found.refused:
        raise BusDown(f"the server refuses our subscription to {subject}")
    return end


async def publish(found: Link, messages: Sequence[Outgoing]) -> frozenset[str]:
    """Publish all and return, once proven, the subjects that nobody listens on. Raises BusDown.

    Look into `found.refused` for the subjects on which we may not publish: nothing of those was taken.
    """
    inbox = found.client.new_inbox()
    # The server answers a message that asks for a reply and has no listener: one of each subject asks.
    last = {message.subject: number for number, message in enumerate(messages)}
    asking = {subject: f"{inbox}.{number}" for subject, number in last.items()}
    unheard: set[str] = set()

    async def noticed(message: Msg) -> None:
        if (message.headers or {}).get("Status") == _NO_RESPONDERS:
            unheard.add(message.subject)

    try:
        async with asyncio.timeout(PROOF_SECONDS):
            replies = await found.client.subscribe(f"{inbox}.*", cb=noticed)
            for number, message in enumerate(messages):
                reply = asking[message.subject] if last[message.subject] == number else ""
                await found.client.publish(message.subject, message.body, reply, {_HEADER: message.message_id})
    except (TimeoutError, nats.errors.Error, OSError) as error:
        raise BusDown(f"publishing failed: {type(error).__name__}") from None
    await found.prove()
    await replies.unsubscribe()
    return frozenset(subject for subject, reply in asking.items() if reply in unheard)


@contextmanager
def session(settings: NatsSettings, name: str) -> Iterator["Session"]:
    """Open one connection for a tick; its loop runs only inside the calls. Raises BusDown."""
    with asyncio.Runner() as runner:
        opened = link(settings, name)
        found = runner.run(opened.__aenter__())
        try:
            yield Session(runner, found)
        finally:
            runner.run(opened.__aexit__(None, None, None))


class Session(NamedTuple):
    """A connection for code that is not asynchronous."""

    runner: asyncio.Runner
    link: Link

    def publish(self, messages: Sequence[Outgoing]) -> frozenset[str]:
        """Publish all and return, once proven, the subjects that nobody listens on. Raises BusDown."""
        return self.runner.run(publish(self.link, messages))
