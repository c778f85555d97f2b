"""Dead letters as operators use them, on a real broker and a real database."""

import json
import os
import signal
import subprocess
import sysconfig
from pathlib import Path

import pytest
from kombu import Connection

from contracts.receipts.work import encode_work, process
from ledger_tasks.messaging.dead import LETTERS_PER_CONSUMER, look
from ledger_tasks.messaging.message import Message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import declare, receipts_topology
from tests.support.amqp import PlainClient, wait_until
from tests.support.servers import Broker, Database

LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"


@pytest.fixture
def desk(broker: Broker, database: Database):
    with Connection(broker.url) as connection:
        declare(connection, receipts_topology(1))

    def ledger(*words: str) -> tuple[int, dict]:
        done = subprocess.run(
            [LEDGER, *words, "--json"],
            env=dict(os.environ) | broker.environment | database.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 1, done.stderr
        return done.returncode, json.loads(done.stdout) if done.stdout else {"stderr": done.stderr}

    return ledger


def letters(count: int, code: str = "CONTRACT_INVALID") -> list[Message]:
    told = {"error_code": code, "error_message": "for this test"}
    return [Message("receipts.v1.dead", "receipt", b"letter %d" % number, headers=told) for number in range(count)]


def bodies(queue: str, client: PlainClient) -> list[str]:
    return [
        message.body if isinstance(message.body, str) else message.body.decode()
        for message in client.take(queue, client.ready(queue))
    ]


def test_more_letters_than_one_consumer_gets_are_all_seen_in_order(broker: Broker, desk) -> None:
    with Publisher(broker.url) as publisher:
        publisher.publish(letters(2 * LETTERS_PER_CONSUMER + 100))
        for _ in range(2):
            found = [letter.body for letter in look(publisher.connection(), "receipts.v1")]
            assert found == [b"letter %d" % number for number in range(2 * LETTERS_PER_CONSUMER + 100)]


@pytest.mark.trap(8)
def test_a_hundred_looks_lose_and_reorder_nothing(broker: Broker, desk) -> None:
    with Publisher(broker.url) as publisher:
        publisher.publish(letters(70))
        first = [copy.id for copy in look(publisher.connection(), "receipts.v1")]
        assert len(set(first)) == 70
        for _ in range(100):
            assert [copy.id for copy in look(publisher.connection(), "receipts.v1")] == first
    client = PlainClient(broker.url)
    assert bodies("receipts.v1.dead", client) == [f"letter {number}" for number in range(70)]
    client.close()


@pytest.mark.case("C038")
def test_a_letter_is_listed_with_code_remedy_and_next_command_and_keeps_its_body(broker: Broker, desk) -> None:
    work = process("a" * 64, "gone.jpg")
    told = {"error_code": "SOURCE_MISSING", "error_message": "there is no such file"}
    with Publisher(broker.url) as publisher:
        publisher.publish(
            [Message("receipts.v1.dead", "receipt", encode_work(work), work.message_id, work.message_type, told)]
        )
        publisher.publish(letters(1))
    code, found = desk("dead", "list", "--code", "SOURCE_MISSING")
    assert code == 0
    (letter,) = found["dead"]
    assert (letter["family"], letter["source_reference"], letter["code"]) == (
        "receipts.v1",
        "gone.jpg",
        "SOURCE_MISSING",
    )
    assert letter["next"] == f"ledger dead replay --id {letter['id']}"
    code, shown = desk("dead", "show", letter["id"])
    assert (code, shown["state"], shown["body_text"]) == (0, "open", encode_work(work).decode())
    assert desk("dead", "show", "00000000-0000-0000-0000-000000000000")[0] == 3


def test_replay_needs_a_selection_previews_and_sends_exactly_the_selection(broker: Broker, desk) -> None:
    with Publisher(broker.url) as publisher:
        publisher.publish(letters(3, "WORKER_LOST"))
        publisher.publish(letters(2, "EMPTY_FILE"))
    assert desk("dead", "replay", "--yes")[0] == 2
    assert desk("dead", "replay", "--code", "TIMEOUT", "--yes")[0] == 3
    code, preview = desk("dead", "replay", "--code", "WORKER_LOST", "--dry-run")
    assert (code, preview["by_code"], preview["settled"]) == (0, {"WORKER_LOST": 3}, 0)
    code, done = desk("dead", "replay", "--code", "WORKER_LOST", "--yes")
    assert (code, done["settled"]) == (0, 3)
    client = PlainClient(broker.url)
    assert sorted(bodies("receipts.v1.work", client)) == ["letter 0", "letter 1", "letter 2"]
    assert client.ready("receipts.v1.dead") == 2
    assert len(desk("dead", "list")[1]["dead"]) == 2
    client.close()


def test_a_replayed_work_request_starts_again_at_attempt_one_under_a_new_budget(broker: Broker, desk) -> None:
    work = process("a" * 64, "x.jpg", attempt=3)
    with Publisher(broker.url) as publisher:
        publisher.publish([Message("receipts.v1.dead", "receipt", encode_work(work), work.message_id)])
    assert desk("dead", "replay", "--all", "--yes")[0] == 0
    client = PlainClient(broker.url)
    (message,) = client.take("receipts.v1.work")
    assert json.loads(message.body)["attempt"] == 1
    assert {"x-ledger-publication", "x-ledger-budget"} <= message.headers.keys()
    client.close()


def test_purge_empties_the_queue_and_keeps_the_row(broker: Broker, desk) -> None:
    with Publisher(broker.url) as publisher:
        publisher.publish(letters(2))
    (first, _) = desk("dead", "list")[1]["dead"]
    assert desk("dead", "purge", "--all", "--yes")[1]["settled"] == 2
    assert desk("dead", "list")[1]["dead"] == []
    assert desk("dead", "show", first["id"])[1]["state"] == "purged"


def test_two_equal_letters_without_identity_are_two_letters(broker: Broker, desk) -> None:
    with Publisher(broker.url) as publisher:
        publisher.publish(letters(1) * 2)
    assert len(desk("dead", "list")[1]["dead"]) == 2
    assert len(desk("dead", "list")[1]["dead"]) == 2


@pytest.mark.case("C060")
def test_a_message_that_every_worker_lost_is_a_letter_with_its_reason(broker: Broker, desk) -> None:
    client = PlainClient(broker.url)
    client.publish("receipts.v1.work", "receipt", encode_work(process("a" * 64, "x.jpg")))
    given = 0

    def dead() -> bool:
        nonlocal given
        message = client.channel.basic_get("receipts.v1.work")
        if message is not None:
            given += 1
            client.channel.basic_reject(message.delivery_tag, requeue=True)
        return client.ready("receipts.v1.dead") == 1

    wait_until(dead, "the broker to give up")
    client.close()
    (letter,) = desk("dead", "list")[1]["dead"]
    assert given == 21, "the first delivery and the limit of 20"
    assert (letter["code"], letter["source_reference"]) == ("DELIVERIES_EXHAUSTED", "x.jpg")


def test_a_letter_that_the_broker_made_has_a_code(broker: Broker, desk) -> None:
    client = PlainClient(broker.url)
    client.publish("receipts.v1.work", "receipt", encode_work(process("a" * 64, "x.jpg")))
    wait_until(lambda: client.ready("receipts.v1.work") == 1, "the message")
    client.channel.basic_reject(client.channel.basic_get("receipts.v1.work").delivery_tag, requeue=False)
    wait_until(lambda: client.ready("receipts.v1.dead") == 1, "the broker to dead-letter it")
    client.close()
    (letter,) = desk("dead", "list")[1]["dead"]
    assert (letter["code"], letter["source_reference"]) == ("INTERNAL_ERROR", "x.jpg")
    assert "rejected" in letter["detail"]


def test_a_replay_killed_at_any_point_and_run_again_leaves_none_and_loses_none(
    broker: Broker, database: Database, desk
) -> None:
    with Publisher(broker.url) as publisher:
        publisher.publish(letters(400))
    environment = dict(os.environ) | broker.environment | database.environment
    client = PlainClient(broker.url)
    for delay in (0.7, 0.9, 1.1, 1.3):
        running = subprocess.Popen([LEDGER, "dead", "replay", "--all", "--yes", "--json"], env=environment)
        try:
            running.wait(delay)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGKILL)
            running.wait()
    code, _ = desk("dead", "replay", "--all", "--yes")
    assert code in {0, 3}
    assert client.ready("receipts.v1.dead") == 0
    sent = client.take("receipts.v1.work", client.ready("receipts.v1.work"))
    by_publication = {message.headers["x-ledger-publication"] for message in sent}
    assert len(by_publication) == 400, "each letter is one piece of work, however often it was sent"
    client.close()
