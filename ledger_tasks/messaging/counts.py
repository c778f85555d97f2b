"""What the broker holds: ready counts over AMQP, the rest from the management API where there is one."""

import base64
import json
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final
from urllib.error import URLError
from urllib.parse import quote, urlsplit

from amqp.exceptions import AccessRefused, NotFound
from kombu import Connection

from ledger_tasks.messaging.depth import depth_of
from ledger_tasks.messaging.publish import BrokerAwayError

MANAGEMENT_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class QueueCount:
    """`ready` and `consumers` are exact; `unacked` lags up to 5 s and is None without the management API."""

    ready: int
    unacked: int | None
    consumers: int


@dataclass(frozen=True, slots=True)
class BrokerView:
    """What the management API says beside the queues; None where it cannot be asked."""

    unacked: dict[str, int]
    unroutable_total: int | None
    alarms: list[str] | None


@dataclass(frozen=True, slots=True)
class Built:
    """What stands in a virtual host: arguments by queue, and (exchange, queue, routing key) of each binding."""

    arguments: dict[str, dict[str, Any]]
    bindings: frozenset[tuple[str, str, str]]


def count_queues(connection: Connection, names: Iterable[str], view: BrokerView) -> dict[str, QueueCount]:
    """Return the counts of the queues that exist, that this user may look at, and that answer."""
    counts = {}
    for name in names:
        try:
            with connection.channel() as opened:
                ready, consumers = depth_of(opened, name)
        except (AccessRefused, BrokerAwayError, NotFound):
            continue
        unacked = view.unacked.get(name, 0) if view.alarms is not None else None
        counts[name] = QueueCount(ready, unacked, consumers)
    return counts


def ask_management(url: str | None, virtual_host: str) -> BrokerView:
    """Ask the management API at `http://user:password@host:port`; without one, or away, nothing is known."""
    if not url:
        return BrokerView({}, None, None)
    try:
        queues = _get(url, f"queues/{quote(virtual_host, safe='')}")
        totals = _get(url, "overview").get("message_stats", {})
        nodes = _get(url, "nodes")
    except (URLError, TimeoutError, json.JSONDecodeError):
        return BrokerView({}, None, None)
    alarms = [
        f"{node['name']}: {kind}" for node in nodes for kind in ("mem_alarm", "disk_free_alarm") if node.get(kind)
    ]
    unacked = {queue["name"]: int(queue.get("messages_unacknowledged", 0)) for queue in queues}
    return BrokerView(unacked, int(totals.get("return_unroutable", 0)), alarms)


def built(url: str, virtual_host: str) -> Built | None:
    """Look at arguments and bindings, which AMQP shows to nobody; None where the management API cannot be asked."""
    host = quote(virtual_host, safe="")
    try:
        queues, bindings = _get(url, f"queues/{host}"), _get(url, f"bindings/{host}")
    except (URLError, TimeoutError, json.JSONDecodeError):
        return None
    return Built(
        {queue["name"]: queue["arguments"] for queue in queues},
        frozenset((each["source"], each["destination"], each["routing_key"]) for each in bindings),
    )


def _get(url: str, path: str) -> Any:
    parts = urlsplit(url)
    credentials = base64.b64encode(f"{parts.username}:{parts.password}".encode()).decode("ascii")
    address = f"{parts.scheme}://{parts.hostname}:{parts.port}/api/{path}"
    request = urllib.request.Request(address, headers={"Authorization": f"Basic {credentials}"})  # noqa: S310 (our own setting)
    with urllib.request.urlopen(request, timeout=MANAGEMENT_SECONDS) as answer:  # noqa: S310 (same)
        return json.load(answer)
