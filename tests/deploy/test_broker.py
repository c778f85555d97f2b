"""The shipped broker files on a real node: they boot, hold our topology, and let nobody in without a password."""

import json
from pathlib import Path

import amqp
import pytest

from deploy.credentials import DEFINITIONS, Addresses, make_secrets
from ledger_tasks.messaging.topology import topology
from tests.deploy.conftest import PASSWORDS
from tests.support.node import Node

SHIPPED = json.loads(DEFINITIONS.read_text())


def test_the_shipped_definitions_are_the_topology_of_the_code() -> None:
    assert {queue["name"]: queue["arguments"] for queue in SHIPPED["queues"]} == {
        spec.name: spec.queue_arguments for spec in topology()
    }
    assert {(each["source"], each["destination"], each["routing_key"]) for each in SHIPPED["bindings"]} == {
        (spec.name, spec.name, spec.routing_key) for spec in topology()
    }
    assert {each["name"] for each in SHIPPED["exchanges"]} == {spec.name for spec in topology()}
    assert all(each["type"] == "direct" and each["durable"] for each in SHIPPED["exchanges"])


def test_the_file_in_the_repository_holds_no_password() -> None:
    assert {user["password_hash"] for user in SHIPPED["users"]} == {""}


@pytest.mark.trap(10)
def test_the_shipped_files_boot_and_bring_the_whole_topology(shipped: Node) -> None:
    listed = shipped.ctl("list_queues", "-p", "ledger", "name", "--formatter", "json")
    assert {queue["name"] for queue in json.loads(listed)} == {spec.name for spec in topology()}
    users = json.loads(shipped.ctl("list_users", "--formatter", "json"))
    assert {user["user"] for user in users} == {user["name"] for user in SHIPPED["users"]}, "no guest"


def test_a_second_boot_keeps_messages_and_imports_nothing_twice(shipped: Node) -> None:
    connection = shipped.connect("operator", PASSWORDS["broker-operator"], confirm_publish=True)
    message = amqp.Message(b"kept", delivery_mode=2)
    connection.channel().basic_publish(message, exchange="ledger.v1.epoch", routing_key="epoch")
    connection.close()
    shipped.ctl("stop_app")
    shipped.ctl("start_app")
    shipped.wait()
    scaler = shipped.connect("scaler", PASSWORDS["scaler"])
    assert scaler.channel().queue_declare("ledger.v1.epoch", passive=True).message_count == 1
    scaler.close()


@pytest.mark.parametrize("login", [("guest", "guest"), ("ocr", ""), ("ocr", "wrong")])
def test_nobody_comes_in_without_the_right_password(shipped: Node, login: tuple[str, str]) -> None:
    with pytest.raises(amqp.AccessRefused):
        shipped.connect(*login)


def test_a_password_gives_the_same_hash_each_time_and_every_user_another() -> None:
    once, again = (make_secrets(PASSWORDS, Addresses())["rabbitmq"]["definitions.json"] for _ in range(2))
    assert once == again
    hashes = [user["password_hash"] for user in json.loads(once)["users"]]
    assert len(set(hashes)) == len(hashes)


def test_the_shipped_files_name_nothing_of_a_machine() -> None:
    for path in Path(DEFINITIONS.parent).rglob("*"):
        if path.is_file():
            assert "127.0.0.1" not in path.read_text(), path
