"""Flower as operators know it: settings come in; it runs behind a login, shows all our queues, and controls nothing."""

import asyncio
from typing import Any, Final

from flower.api.tasks import GetQueueLengths
from flower.app import Flower
from flower.options import options
from flower.urls import settings as flower_settings
from flower.views.broker import BrokerView as BrokerPage
from flower.views.monitor import Metrics
from tornado import web

from ledger_tasks.app import LedgerApp
from ledger_tasks.messaging.counts import QueueCount, ask_management, count_queues
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.settings import FlowerSettings

MAX_TASKS: Final = 10_000
"""Task calls that are remembered: about 30 MB. What happened to a receipt stands in our own tables for ever."""

MAX_WORKERS: Final = 200


def make(app: LedgerApp, settings: FlowerSettings, *, host: str, port: int, operate: bool) -> "LedgerFlower":
    """Make Flower for an app; nobody enters without a token, and with `operate` only those that may operate."""
    tokens = [token for token in settings.api_tokens if token.scope == "operate" or not operate]
    options.basic_auth = [f"{token.name}:{token.secret.get_secret_value()}" for token in tokens]
    options.read_only = not operate
    options.address, options.port = host, port
    options.max_tasks, options.max_workers = MAX_TASKS, MAX_WORKERS
    options.enable_events = False  # our workers send events by themselves; Flower need not tell them to
    return LedgerFlower(capp=app, options=options, ledger_settings=settings, **flower_settings)


class LedgerFlower(Flower):  # type: ignore[misc] # Flower has no types
    """Flower whose lists of queues are ours: all of them, counted over AMQP, whichever workers are up."""

    def __init__(self, ledger_settings: FlowerSettings, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._settings = ledger_settings
        self.add_handlers(
            ".*", [(r"/broker", _AllQueues), (r"/api/queues/length", _AllLengths), (r"/metrics", _PrivateMetrics)]
        )

    async def our_queues(self) -> list[dict[str, Any]]:
        """Return every queue of ours as Flower shows one; none while the broker is away."""
        counts = await asyncio.get_running_loop().run_in_executor(None, self._count)
        return [
            {
                "name": name,
                "messages": count.ready + (count.unacked or 0),
                "messages_ready": count.ready,
                "messages_unacknowledged": count.unacked,
                "consumers": count.consumers,
            }
            for name, count in counts.items()
        ]

    def _count(self) -> dict[str, QueueCount]:
        names = [queue.name for queue in self.capp.conf.task_queues]
        management = self._settings.rabbitmq_management_url
        try:
            with Publisher(self._settings.rabbitmq_url.get_secret_value()) as opened:
                connection = opened.connection()
                url = management.get_secret_value() if management else None
                view = ask_management(url, connection.virtual_host)
                return count_queues(connection, names, view)
        except (BrokerAwayError, OSError):
            return {}


class _AllQueues(BrokerPage):  # type: ignore[misc] # Flower has no types
    @web.authenticated
    async def get(self) -> None:
        self.render("broker.html", broker_url=self.application.broker_uri, queues=await self.application.our_queues())


class _AllLengths(GetQueueLengths):  # type: ignore[misc] # Flower has no types
    @web.authenticated
    async def get(self) -> None:
        found = await self.application.our_queues()
        self.write({"active_queues": [{"name": each["name"], "messages": each["messages"]} for each in found]})


class _PrivateMetrics(Metrics):  # type: ignore[misc] # Flower has no types
    @web.authenticated
    async def get(self) -> None:
        await super().get()
