"""P12: the command's help against `celery --version`; a worker's first delivery against a stock Celery worker's."""

import os
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from kombu import Connection

from ledger_tasks.messaging.message import Message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import RECEIPTS, declare, receipts_topology
from tests.bench.harness import Row, alternate, seconds, time_row
from tests.support.servers import Broker, Volumes, fresh, throwaway_stack

SCRIPTS = Path(sysconfig.get_path("scripts"))
ROUNDS = 3

STOCK = """
import os
from celery import Celery
from kombu import Exchange, Queue
app = Celery("stock", broker=os.environ["RABBITMQ_URL"])
app.conf.task_queues = [Queue("stock", Exchange("stock", "direct"), routing_key="stock",
                              queue_arguments={"x-queue-type": "quorum"})]
app.conf.task_default_queue = "stock"
@app.task(name="stock.work")
def work():
    open(os.environ["SEEN"], "w").close()
"""


def run() -> list[Row]:
    help_ours, help_theirs = alternate(5, command("ledger", "--help"), command("celery", "--version"))
    with throwaway_stack("bench-p12") as stack, TemporaryDirectory() as folder:
        stack.start("rabbitmq")
        first_ours, first_theirs = alternate(
            ROUNDS, lambda: our_worker(stack.rabbitmq, Path(folder)), lambda: stock_worker(stack.rabbitmq, Path(folder))
        )
    return [
        time_row("P12", "ledger --help / celery --version", help_ours, help_theirs, 1.0),
        time_row("P12", "worker until its first delivery / stock celery worker", first_ours, first_theirs, 0.3),
    ]


def command(*words: str):
    return lambda: seconds(lambda: subprocess.run([SCRIPTS / words[0], *words[1:]], check=True, capture_output=True))


def our_worker(server, folder: Path) -> float:
    """From start to the moment at which a malformed message, waiting since before, lies in the dead queue."""
    broker = Broker(server, fresh("ours"))
    broker.create()
    place = folder / broker.virtual_host
    place.mkdir()
    volumes = Volumes(place / "receipts", place / "cache")
    volumes.create()
    with Connection(broker.url) as connection, Publisher(broker.url) as publisher:
        declare(connection, receipts_topology(1))
        publisher.publish([Message(RECEIPTS.work, RECEIPTS.routing_key, b"not JSON")])
        channel = connection.channel()
        return until(
            [SCRIPTS / "ledger", "worker", "ocr"],
            broker.environment | volumes.environment,
            place,
            lambda: channel.queue_declare(RECEIPTS.dead, passive=True).message_count > 0,
        )


def stock_worker(server, folder: Path) -> float:
    """The same for a stock worker on a quorum queue: until its first task has run."""
    broker = Broker(server, fresh("stock"))
    broker.create()
    place = folder / broker.virtual_host
    place.mkdir()
    (place / "stock.py").write_text(STOCK)
    seen = place / "seen"
    environment = {"RABBITMQ_URL": broker.url, "SEEN": str(seen)}
    call = "import stock; stock.app.tasks['stock.work'].delay()"
    subprocess.run([sys.executable, "-c", call], cwd=place, env=dict(os.environ) | environment, check=True)
    words = [SCRIPTS / "celery", "-A", "stock", "worker", "-c", "1", "-l", "WARNING"]
    return until(words, environment, place, seen.exists)


def until(words, environment, place: Path, happened) -> float:
    with (place / "log").open("wb") as log:
        begun = time.perf_counter()
        process = subprocess.Popen(words, cwd=place, env=dict(os.environ) | environment, stdout=log, stderr=log)
        try:
            while not happened():
                assert process.poll() is None, (place / "log").read_text()
                time.sleep(0.01)
            return time.perf_counter() - begun
        finally:
            process.terminate()
            process.wait(60)
