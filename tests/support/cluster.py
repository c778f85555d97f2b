"""Three RabbitMQ nodes of one cluster on loopback: one cookie, one port mapper; any of them can be killed."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ledger_tasks.devstack.program import Program
from ledger_tasks.devstack.rabbitmq import RabbitMQ
from ledger_tasks.devstack.service import NotReadyError
from tests.support.node import free_port

NAMES = ("one@localhost", "two@localhost", "three@localhost")
READY_SECONDS = 180

PEERS = "cluster_formation.peer_discovery_backend = classic_config\n" + "".join(
    f"cluster_formation.classic_config.nodes.{place} = {name}\n" for place, name in enumerate(NAMES, start=1)
)


class Cluster:
    """`url(place)` reaches one node; a killed node stays dead until `boot`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        epmd = free_port()
        self.nodes = [
            RabbitMQ(folder / name.partition("@")[0], "cluster", free_port(), free_port(), free_port(), epmd)
            for name in NAMES
        ]

    def start(self) -> None:
        """Boot all three at once and return when each has the other two."""
        mapper, _ = self.nodes[0].programs()
        self._launch("epmd", mapper, {})
        self.boot()
        deadline = time.monotonic() + READY_SECONDS
        while not all(_answers(node) for node in self.nodes) or self.size() < len(NAMES):
            assert time.monotonic() < deadline, (self.folder / "one@localhost.log").read_text(errors="replace")[-4000:]
            time.sleep(0.5)

    def boot(self) -> None:
        """Launch all three, with what they know, and return at once."""
        for name, node in zip(NAMES, self.nodes, strict=True):
            _, program = node.programs()
            configuration = node.folder / "rabbitmq.conf"
            configuration.write_text(configuration.read_text() + PEERS)
            self._launch(name, program, {"RABBITMQ_NODENAME": name, "HOME": str(self.folder)})

    def size(self) -> int:
        """Return how many nodes the first one sees running."""
        import httpx

        try:
            found = httpx.get(f"{self.nodes[0].management_url}/api/nodes", timeout=10).raise_for_status().json()
        except httpx.HTTPError:
            return 0
        return sum(1 for each in found if each["running"])

    def leader_of(self, queue: str) -> int:
        """Return the place of the node that leads a quorum queue."""
        import httpx

        found = httpx.get(f"{self.nodes[1].management_url}/api/queues/ledger/{queue}", timeout=10).json()
        return NAMES.index(found["leader"])

    def url(self, place: int) -> str:
        return self.nodes[place].url

    def kill(self, place: int) -> None:
        self._end(self._processes.pop(NAMES[place]))

    def stop(self) -> None:
        for process in self._processes.values():
            self._end(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _launch(self, name: str, program: Program, changes: dict[str, str]) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(
                program.argv,
                env={**program.environment, **changes},
                cwd=program.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Give three nodes that know each other, and leave nothing of them."""
    folder.mkdir(mode=0o700)
    made = Cluster(folder)
    try:
        made.start()
        yield made
    finally:
        made.stop()


def _answers(node: RabbitMQ) -> bool:
    try:
        node.probe()
    except NotReadyError:
        return False
    return True
