"""P5: 2000 deliveries of receipts whose work is done, against a bare consumer that tells the same and acknowledges.

Both take one delivery at a time from a filled queue. The reference opens nothing: it has every event in its memory,
publishes those of the delivery, each confirmed, and acknowledges.
"""

import json
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kombu import Connection
from pydantic import SecretStr
from sqlalchemy import Engine

from contracts.receipts.work import ProcessReceipt
from ledger_tasks.clock import new_id
from ledger_tasks.messaging.message import work_message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import RECEIPTS, RESULTS, declare, receipts_topology
from ledger_tasks.storage.database import connect
from tests.bench.harness import Row, alternate, rate_row, seconds
from tests.bench.p4_collector import collected, contents
from tests.chaos.slips import make_slips
from tests.support.amqp import PlainClient, wait_until
from tests.support.deliveries import body_of, starts
from tests.support.roles import RunningRole
from tests.support.servers import Broker, Database, Volumes, fresh, throwaway_stack

FINISHED = 20
DELIVERIES = 2000
ROUNDS = 3
AT_LEAST = 0.5

Events = dict[str, list[Any]]
"""The events of each source, as the broker gave them."""


def run() -> list[Row]:
    with throwaway_stack("bench-p5") as stack, ExitStack() as end:
        stack.start("rabbitmq", "postgresql")
        folder = Path(end.enter_context(TemporaryDirectory()))
        broker, database = Broker(stack.rabbitmq, fresh("p5")), Database(stack.postgresql, fresh("p5"))
        volumes = Volumes(folder / "receipts", folder / "cache")
        for each in (broker, database, volumes):
            each.create()
        place = Place(broker, database, volumes, folder, connect(SecretStr(database.url)))
        works = make_slips(volumes.root, FINISHED)
        told = place.finish(works)
        before = contents(place.owner)
        ours, reference = alternate(
            ROUNDS, lambda: place.by_the_role(works, told), lambda: place.by_a_consumer(works, told)
        )
        assert len(starts(volumes)) == FINISHED, "a duplicate caused OCR"
        assert contents(place.owner) == before, "a duplicate changed rows"
        place.owner.dispose()
    what = f"{DELIVERIES} duplicates by the role / by a bare consumer, one at a time"
    return [rate_row("P5", what, DELIVERIES, ours, reference, AT_LEAST)]


class Place:
    """A broker, a database and volumes with finished receipts."""

    def __init__(self, broker: Broker, database: Database, volumes: Volumes, folder: Path, owner: Engine) -> None:
        self._broker = broker
        self._collector = broker.environment | database.environment_of("ledger_collector")
        self._ocr = broker.environment | volumes.environment | {"LEDGER_CELERY_EVENTS": "false"}
        self._folder = folder
        self.owner = owner

    def finish(self, works: Sequence[ProcessReceipt]) -> Events:
        """Read and collect every receipt once; return what was told of each."""
        with Connection(self._broker.url) as connection:
            declare(connection, receipts_topology(1))
        self._publish(works)
        told: Events = defaultdict(list)
        role = self._role("ocr", self._ocr)
        client = PlainClient(self._broker.url)
        wait_until(lambda: role.text().count('"settled"') == len(works), "every receipt to be told", 300)
        role.end()
        while (message := client.channel.basic_get(RESULTS.work)) is not None:
            told[json.loads(body_of(message))["source_sha256"]].append(message)
        client.close()  # nothing was acknowledged: they are all in the queue again
        self._collect(sum(map(len, told.values())))
        return told

    def by_the_role(self, works: Sequence[ProcessReceipt], told: Events) -> float:
        """Measure the real role from its first told receipt to its last, then let the collector have the events."""
        wanted = sum(map(len, told.values())) * DELIVERIES // FINISHED
        self._publish(self._duplicates(works))
        client = PlainClient(self._broker.url)
        role = self._role("ocr", self._ocr)
        while (first := client.ready(RESULTS.work)) == 0:
            time.sleep(0.002)
        begun = time.perf_counter()
        while client.ready(RESULTS.work) < wanted or client.ready(RECEIPTS.work):
            time.sleep(0.02)
        taken = (time.perf_counter() - begun) * wanted / (wanted - first)
        role.end()
        client.close()
        self._collect(0)
        return taken

    def by_a_consumer(self, works: Sequence[ProcessReceipt], told: Events) -> float:
        """Measure a bare consumer that knows the events by heart."""
        self._publish(self._duplicates(works))
        with Connection(self._broker.url, transport_options={"confirm_publish": True}) as connection:
            channel = connection.channel()
            channel.basic_qos(0, 1, False)
            producer = connection.Producer(channel)
            left = DELIVERIES

            def on_message(message: Any) -> None:
                nonlocal left
                for event in told[json.loads(message.body)["source_sha256"]]:
                    producer.publish(
                        body_of(event),
                        exchange=RESULTS.work,
                        routing_key=RESULTS.routing_key,
                        delivery_mode=2,
                        mandatory=True,
                        content_type="application/json",
                        content_encoding="utf-8",
                        message_id=event.properties["message_id"],
                        type=event.properties["type"],
                    )
                channel.basic_ack(message.delivery_tag)
                left -= 1

            channel.basic_consume(RECEIPTS.work, callback=on_message)

            def drain() -> None:
                while left:
                    connection.drain_events(timeout=60)

            taken = seconds(drain)
        with Connection(self._broker.url) as connection, connection.channel() as channel:
            channel.queue_purge(RESULTS.work)
        return taken

    def _duplicates(self, works: Sequence[ProcessReceipt]) -> list[ProcessReceipt]:
        return [*works] * (DELIVERIES // FINISHED)

    def _publish(self, works: Sequence[ProcessReceipt]) -> None:
        with Publisher(self._broker.url) as publisher:
            publisher.publish([work_message(work, publication=new_id()) for work in works])

    def _collect(self, count: int) -> None:
        """Run the collector until the results queue is empty and the database knows so many events at least."""
        role = self._role("collector", self._collector)
        client = PlainClient(self._broker.url)
        wait_until(lambda: client.ready(RESULTS.work) == 0 and collected(self.owner) >= count, "the collector", 300)
        client.close()
        role.end()

    def _role(self, name: str, environment: dict[str, str]) -> RunningRole:
        return RunningRole((name,), environment, self._folder / new_id())
