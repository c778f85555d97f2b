"""Failure recovery: Before a publish is confirmed.

The command fails; a later discovery scan can publish again.
"""

import hashlib
import json

import pytest
from kombu import Connection

from tests.support import faults
from tests.support.faults import frozen

FILES = 3000
LATE = hashlib.sha256(b"late.jpg").hexdigest()


def test_a_dead_broker_is_exit_7_and_nothing_is_leased(inbox):
    inbox.put("a.jpg")
    ran = inbox.run("receipts", "publish", RABBITMQ_URL="amqp://guest:guest@127.0.0.1:1/")
    assert ran.code == 7
    assert ran.out == ""
    assert "remedy:" in ran.err
    assert inbox.sql("SELECT 1 FROM ingest.publications") == []
    assert inbox.publish()["published"] == 1


@pytest.mark.case("C062")
@pytest.mark.case("C065")
@pytest.mark.trap(2)
def test_a_frozen_broker_ends_the_command_in_time_with_its_own_code(own_stack, own_broker, inbox):
    inbox.put("a.jpg")
    url = own_broker.url
    assert inbox.run("receipts", "publish", RABBITMQ_URL=url).code == 0
    with frozen(own_stack, "rabbitmq"):
        ran = inbox.run("receipts", "publish", RABBITMQ_URL=url)
    assert ran.code == 7, ran.err
    _freeze_in_the_middle(own_stack, inbox, url)
    _raise_the_disk_alarm(own_stack, inbox, url)


def _freeze_in_the_middle(stack, inbox, url):
    """Some are confirmed, some may have arrived: exit 8, and the rerun leaves nothing out."""
    for number in range(FILES):
        inbox.put(f"many/{number}.jpg")
    process = inbox.start("receipts", "publish", RABBITMQ_URL=url)
    with Connection(url) as connection, connection.channel() as channel:
        while channel.queue_declare("receipts.v1.work", passive=True).message_count < 100:
            assert process.poll() is None
    with frozen(stack, "rabbitmq"):
        out, err = process.communicate(timeout=60)
    assert process.returncode == 8, err
    assert json.loads(out)["published"] < FILES
    assert inbox.sql("SELECT 1 FROM ingest.publications WHERE state = 'planned'")
    inbox.sql("UPDATE ingest.publications SET planned_at = now() - interval '1 hour' WHERE state = 'planned'")
    assert inbox.run("receipts", "publish", RABBITMQ_URL=url).code == 0
    with Connection(url) as connection, connection.channel() as channel:
        taken = iter(lambda: channel.basic_get("receipts.v1.work", no_ack=True), None)
        references = {json.loads(message.body)["source_reference"] for message in taken}
    assert len(references) == FILES + 1


def _raise_the_disk_alarm(stack, inbox, url):
    """C062: a broker that takes no publication confirms none, and none is counted as published."""
    inbox.put("late.jpg")
    with faults.full(stack, "disk"):
        ran = inbox.run("receipts", "publish", RABBITMQ_URL=url)
        assert ran.code in {7, 8}, ran.err
    unconfirmed = "SELECT 1 FROM ingest.publications WHERE state = 'confirmed' AND source_sha256 = %s"
    assert inbox.sql(unconfirmed, LATE) == []
