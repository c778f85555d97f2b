"""A service of the exchange: requests come in from a queue group, each is acknowledged, read once, and answered."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from contracts.recognition.request import Request, decode_request
from contracts.wire import ContractError
from ledger_tasks.clock import now
from ledger_tasks.objects.store import NoObject, ObjectStore, ObjectTooLarge, StoreAway, StoreRefuses
from ledger_tasks.recognition import bus
from ledger_tasks.recognition.pulse import either
from ledger_tasks.recognizers.answers import Service, acknowledgement, failure, result_file, result_key, success
from ledger_tasks.recognizers.outcome import Found, Unreadable
from ledger_tasks.settings import NatsSettings
from ledger_tasks.tracing import span, trace_of

SOURCE_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of a file that is read."""

REMEMBERED: Final = 10_000
"""Attempts whose answers are kept to be said again: a repeat means that the core did not hear us."""

PROOF_PERIOD_SECONDS: Final = 1
RECONNECT_SECONDS: Final = 0.5
STORE_PATIENCE_SECONDS: Final = 2
"""Pause before an object store that is away is asked again; the deadline of the request ends it."""

log = logging.getLogger(__name__)


class Recognizer:
    """`run` until `stop`; one file at a time, acknowledgements at once."""

    def __init__(
        self,
        service: Service,
        settings: NatsSettings,
        store: ObjectStore,
        subject: str,
        group: str,
        read: Callable[[bytes], Found],
    ) -> None:
        self._service = service
        self._settings = settings
        self._store = store
        self._subject = subject
        self._group = group
        self._read = read
        # One thread, and always the same: the OCR's reader process ends with the thread that started it.
        self._thread = ThreadPoolExecutor(1, "recognizer")
        self._answers: OrderedDict[str, bus.Outgoing | None] = OrderedDict()
        self._requests: asyncio.Queue[Request] = asyncio.Queue()
        self._to_say: list[bus.Outgoing] = []
        self._something = asyncio.Event()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Ask `run` to end: nothing new is taken, what was acknowledged is read and answered."""
        self._stopping.set()
        self._something.set()

    async def run(self) -> None:
        """Listen and read until `stop`."""
        reading = self._reading = asyncio.create_task(self._read_requests())
        reading.add_done_callback(lambda _: self.stop())
        while not self._stopping.is_set():
            try:
                async with bus.link(self._settings, f"ledger-recognizer-{self._service.name}") as link:
                    await self._serve(link)
            except bus.BusDown as down:
                log.error("the service is deaf: %s", down.detail)  # noqa: TRY400 (expected: no traceback)
                await either(self._stopping, within=RECONNECT_SECONDS)
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading  # a surprise of the reader ends the process with its traceback

    async def _serve(self, link: bus.Link) -> None:
        end = await bus.subscribe(link, self._subject, self._group, self._take)
        log.info("%s listens on %s", self._service.name, self._subject)
        while not link.closed.is_set() and self._subject not in link.refused:
            await either(self._something, link.closed, within=PROOF_PERIOD_SECONDS)
            self._something.clear()
            if self._stopping.is_set():
                await end()
                await self._finish()
            await self._say(link)
            if self._stopping.is_set():
                return
            await link.prove()

    async def _finish(self) -> None:
        """Return when all that was acknowledged is read, or when the reader has failed."""
        read = asyncio.create_task(self._requests.join())
        await asyncio.wait({read, self._reading}, return_when=asyncio.FIRST_COMPLETED)
        read.cancel()

    async def _say(self, link: bus.Link) -> None:
        """Publish what waits; what is not proven is said again on the next connection."""
        waiting = tuple(self._to_say)
        if waiting:
            await bus.publish(link, waiting)
            del self._to_say[: len(waiting)]

    def _take(self, message: bus.Incoming) -> None:
        """Acknowledge at once. A repeat is acknowledged again, and answered again once there is an answer."""
        try:
            request = decode_request(message.body)
        except ContractError as error:
            log.warning("a request was dropped: %s", error)
            return
        self._answer(acknowledgement(self._service, request, now()))
        if request.message_id not in self._answers:
            self._answers[request.message_id] = None
            self._requests.put_nowait(request)
        elif (answer := self._answers[request.message_id]) is not None:
            self._answer(answer)
        while len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)

    def _answer(self, message: bus.Outgoing) -> None:
        self._to_say.append(message)
        self._something.set()

    async def _read_requests(self) -> None:
        while True:
            request = await self._requests.get()
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(self._thread, self._recognize, request)
            if answer is None:
                self._answers.pop(request.message_id, None)
            else:
                self._answers[request.message_id] = answer
                self._answer(answer)
            self._requests.task_done()

    def _recognize(self, request: Request) -> bus.Outgoing | None:
        """Fetch, read and store; None when the deadline passed before the object store came back."""
        while now() < request.reply_deadline:
            try:
                with span("recognition.read", trace_of(request.job_id), service=self._service.name):
                    return self._recognize_once(request)
            except StoreAway as error:
                log.warning("the object store is waited for: %s", error, extra={"job_id": request.job_id})
                time.sleep(STORE_PATIENCE_SECONDS)
        log.warning("too late to answer", extra={"job_id": request.job_id})
        return None

    def _recognize_once(self, request: Request) -> bus.Outgoing:
        try:
            content = self._store.get(request.s3.bucket, request.s3.key, SOURCE_LIMIT)
            found = self._read(content)
            self._store.put(request.s3.bucket, result_key(request), result_file(self._service, found))
        except (NoObject, ObjectTooLarge, StoreRefuses) as error:
            return failure(self._service, request, Unreadable("READ_FAILED", str(error)), now())
        except Unreadable as why:
            return failure(self._service, request, why, now())
        return success(self._service, request, found, now())
