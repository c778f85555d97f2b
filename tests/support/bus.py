"""A NATS client of a test: publish, listen, and wait for a message, from code that is not asynchronous."""

import asyncio
import queue
import threading
from typing import Any, NamedTuple

import nats

WAIT_SECONDS = 10


class Heard(NamedTuple):
    """One message."""

    subject: str
    body: bytes
    headers: tuple[tuple[str, str], ...]

    @property
    def message_id(self) -> str | None:
        return dict(self.headers).get("Nats-Msg-Id")


class Bus:
    """One connection with a loop of its own; `close` it."""

    def __init__(self, url: str, **options: Any) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.client = self._run(nats.connect(url, reconnect_time_wait=0.1, error_cb=_ignore, **options))

    def send(self, subject: str, body: bytes, message_id: str | None = None) -> None:
        """Return when the server has the message."""
        self.send_all([(subject, body, message_id)])

    def send_all(self, messages: list[tuple[str, bytes, str | None]]) -> None:
        async def publish() -> None:
            for subject, body, message_id in messages:
                await self.client.publish(subject, body, headers={"Nats-Msg-Id": message_id} if message_id else None)
            await self.client.flush()
            await self.client.flush()

        self._run(publish())

    def listen(self, subject: str, group: str = "") -> "queue.Queue[Heard]":
        """Return a queue into which every message of the subject falls."""
        heard: queue.Queue[Heard] = queue.Queue()

        async def take(message: Any) -> None:
            heard.put(Heard(message.subject, message.data, tuple((message.headers or {}).items())))

        async def subscribe() -> None:
            await self.client.subscribe(subject, queue=group, cb=take)
            await self.client.flush()
            await self.client.flush()

        self._run(subscribe())
        return heard

    def close(self) -> None:
        self._run(self.client.close())
        self.loop.call_soon_threadsafe(self.loop.stop)

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(WAIT_SECONDS)


async def _ignore(_error: Exception) -> None:
    """A test kills servers: that its client says so is no news."""
