"""The faults, each a function of the world and a random source; the counts say which really fired."""

import os
import signal
import time
from collections.abc import Callable
from random import Random

from contracts.receipts.work import decode_work
from ledger_tasks.clock import new_id
from ledger_tasks.messaging.message import work_message
from ledger_tasks.messaging.topology import RECEIPTS
from tests.chaos.world import World
from tests.support import faults
from tests.support.amqp import PlainClient
from tests.support.roles import RunningRole

Fault = Callable[[World, Random], bool]
"""Returns whether it fired: a fault may find nothing to break."""


def kill_worker(world: World, random: Random) -> bool:
    return _kill(world.named("ocr"), random)


def kill_collector(world: World, random: Random) -> bool:
    return _kill(world.named("collector"), random)


def kill_child(world: World, random: Random) -> bool:
    """Kill one prefork child: what an out-of-memory killer does."""
    children = [pid for role in world.named("ocr") for pid in role.children()]
    if not children:
        return False
    return _signal(random.choice(children), signal.SIGKILL)


def freeze_worker(world: World, random: Random) -> bool:
    """Stop a worker and its child for a moment: a node that stalls and comes back."""
    return _freeze(world.named("ocr"), random)


def freeze_child(world: World, random: Random) -> bool:
    """Stop one prefork child while its main process goes on: a file system that hangs."""
    return _stop_for_a_moment([pid for role in world.named("ocr") for pid in role.children()][:1], random)


def freeze_collector(world: World, random: Random) -> bool:
    return _freeze(world.named("collector"), random)


def freeze_broker(world: World, random: Random) -> bool:
    with faults.frozen(world.stack, "rabbitmq"):
        time.sleep(random.uniform(0.5, 3))
    return True


def kill_broker(world: World, _random: Random) -> bool:
    faults.kill(world.stack, "rabbitmq")
    world.stack.start("rabbitmq")
    return True


def kill_postgresql(world: World, random: Random) -> bool:
    faults.kill(world.stack, "postgresql")
    time.sleep(random.uniform(0, 2))
    world.stack.start("postgresql")
    return True


def freeze_postgresql(world: World, random: Random) -> bool:
    with faults.frozen(world.stack, "postgresql"):
        time.sleep(random.uniform(0.5, 3))
    return True


def cut_network(world: World, random: Random) -> bool:
    world.proxy.cut()
    time.sleep(random.uniform(0.2, 2))
    world.proxy.mend()
    return True


def duplicate(world: World, random: Random) -> bool:
    """Publish work again that was published before, some of it done by now."""
    client = PlainClient(world.broker.url)
    for body in random.sample(world.bodies, min(10, len(world.bodies))):
        message = work_message(decode_work(body), publication=new_id())
        client.publish(message.exchange, message.routing_key, message.body, application_headers=dict(message.headers))
    client.close()
    return bool(world.bodies)


def shuffle(world: World, random: Random) -> bool:
    """Take what waits and give it back in another order."""
    client = PlainClient(world.broker.url)
    taken = [message for _ in range(15) if (message := client.channel.basic_get(RECEIPTS.work)) is not None]
    random.shuffle(taken)
    for message in taken:
        client.channel.basic_reject(message.delivery_tag, requeue=True)
    client.close()
    return bool(taken)


KINDS: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        duplicate,
        shuffle,
        kill_worker,
        kill_child,
        freeze_worker,
        freeze_child,
        kill_collector,
        freeze_collector,
        freeze_broker,
        cut_network,
        kill_broker,
        kill_postgresql,
        freeze_postgresql,
    )
}


def _kill(running: list[RunningRole], random: Random) -> bool:
    if not running:
        return False
    random.choice(running).kill()
    return True


def _freeze(running: list[RunningRole], random: Random) -> bool:
    if not running:
        return False
    role = random.choice(running)
    return _stop_for_a_moment([role.pid, *role.children()], random)


def _stop_for_a_moment(pids: list[int], random: Random) -> bool:
    frozen = [pid for pid in pids if _signal(pid, signal.SIGSTOP)]
    time.sleep(random.uniform(0.5, 2))
    for pid in frozen:
        _signal(pid, signal.SIGCONT)
    return bool(frozen)


def _signal(pid: int, number: signal.Signals) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
