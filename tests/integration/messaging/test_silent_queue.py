"""A queue whose leader does not answer in time: the broker says "0 ready, 0 consumers" instead of "unknown"."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Timer

import pytest

from ledger_tasks.devstack import binaries
from ledger_tasks.discovery.epoch import begin_epoch, is_epoch_over
from ledger_tasks.messaging.counts import BrokerView, count_queues
from ledger_tasks.messaging.dead import look, remove
from ledger_tasks.messaging.depth import PATIENCE_SECONDS
from ledger_tasks.messaging.letter import DeadCopy
from ledger_tasks.messaging.message import Message
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.messaging.topology import EPOCH, RECEIPTS, declare, receipts_topology
from tests.support.amqp import PlainClient
from tests.support.servers import Broker


@contextmanager
def silent(broker: Broker, queue: str, seconds: float) -> Iterator[None]:
    """Let the queue's leader answer nobody for some seconds, as one that waits for its disk.

    The broker itself wakes it when a file goes: to start another `rabbitmqctl` may take longer than the silence.
    """
    sleeping = broker.server.folder / f"{queue}.sleeping"
    sleeping.touch()
    program = [str(binaries.rabbitmq_scripts() / "rabbitmqctl"), "--quiet", "eval"]
    asleep = SLEEP.format(leader=f"{broker.virtual_host}_{queue}", file=sleeping)
    awake = Timer(seconds, sleeping.unlink)
    try:
        subprocess.run([*program, asleep], env=broker.server.environment(), check=True, capture_output=True, timeout=60)
        awake.start()
        yield
    finally:
        if awake.is_alive():
            awake.join()
        sleeping.unlink(missing_ok=True)


SLEEP = """
Leader = whereis(binary_to_atom(<<"{leader}">>)),
sys:suspend(Leader),
Wait = fun Wait() ->
    case filelib:is_file("{file}") of true -> timer:sleep(20), Wait(); false -> sys:resume(Leader) end
end,
spawn(Wait).
"""


@pytest.fixture
def publisher(broker: Broker) -> Iterator[Publisher]:
    with Publisher(broker.url) as opened:
        declare(opened.connection(), receipts_topology())
        opened.publish([Message(RECEIPTS.dead, RECEIPTS.routing_key, b"%d" % number) for number in range(3)])
        yield opened


@pytest.mark.trap(8)
def test_a_plain_look_is_told_that_nothing_is_there(broker: Broker, publisher: Publisher) -> None:
    client = PlainClient(broker.url)
    with silent(broker, RECEIPTS.dead, 1.5):
        assert client.channel.queue_declare(RECEIPTS.dead, passive=True).message_count == 0
    client.close()


def test_counts_wait_until_the_queue_can_tell(broker: Broker, publisher: Publisher) -> None:
    with silent(broker, RECEIPTS.dead, 1.5):
        counts = count_queues(publisher.connection(), [RECEIPTS.dead], BrokerView({}, None, None))
    assert counts[RECEIPTS.dead].ready == 3


def test_a_look_into_the_dead_queue_misses_no_letter(broker: Broker, publisher: Publisher) -> None:
    with silent(broker, RECEIPTS.dead, 1.5):
        found = look(publisher.connection(), "receipts.v1")
    assert [letter.body for letter in found] == [b"0", b"1", b"2"]


def test_letters_that_are_to_go_are_gone(broker: Broker, publisher: Publisher) -> None:
    with silent(broker, RECEIPTS.dead, 1.5):
        assert remove(publisher.connection(), "receipts.v1", lambda letter: letter.body != b"1") == 2
    assert [letter.body for letter in look(publisher.connection(), "receipts.v1")] == [b"1"]


def test_letters_are_gone_when_the_queue_has_settled_them_not_when_they_were_acknowledged(
    broker: Broker, publisher: Publisher
) -> None:
    publisher.publish([Message(RECEIPTS.dead, RECEIPTS.routing_key, b"x%d" % number) for number in range(400)])
    with ExitStack() as silence:
        fallen: list[bool] = []

        def chosen(_letter: DeadCopy) -> bool:
            if not fallen:
                fallen.append(True)
                silence.enter_context(silent(broker, RECEIPTS.dead, 1.0))
            return True

        assert remove(publisher.connection(), "receipts.v1", chosen) == 403
        publisher.close()
    client = PlainClient(broker.url)
    assert client.ready(RECEIPTS.dead) == 0
    client.close()


def test_no_new_epoch_begins(broker: Broker, publisher: Publisher) -> None:
    assert is_epoch_over(publisher)
    begin_epoch(publisher, "0b7c1d52-53b0-4f3c-9d59-0d8d4b1c2a11")
    with silent(broker, EPOCH, 1.5):
        assert not is_epoch_over(publisher)


def test_a_queue_that_stays_silent_is_trouble_of_the_broker(broker: Broker, publisher: Publisher) -> None:
    with silent(broker, EPOCH, PATIENCE_SECONDS + 3), pytest.raises(BrokerAwayError, match="does not say"):
        is_epoch_over(publisher)
