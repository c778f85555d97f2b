"""Chaos for the exchange: `python -m tests.chaos.recognition --seconds 60 --seed 1`; exit 0 when every invariant holds.

Publishers, inboxes, watchers, a mapper and retriers run in several copies and are killed and frozen, and so is the
NATS server; a service loses, repeats, shuffles and delays its answers. Then everything heals, and the rows are judged.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.chaos.recognition_service import UnreliableService
from tests.support.nats_servers import NatsServer
from tests.support.recognition import Core, Owner, wait_until
from tests.support.servers import Database, start, throwaway_stack

COPIES = {"serve": 2, "publish": 2, "watch": 2, "map": 1, "retry": 2}
DEADLINE, ACK, GRACE = 5, 1, 4
ENVIRONMENT = {
    "OUTBOX_POLL_SECONDS": "0.2",
    "ACK_TIMEOUT_SECONDS": str(ACK),
    "REPLY_DEADLINE_SECONDS": str(DEADLINE),
    "RECOGNITION_WATCH_SECONDS": "0.3",
    "RECOGNITION_MAP_SECONDS": "0.3",
    "RECOGNITION_INBOX_GRACE_SECONDS": str(GRACE),
}
JOBS_PER_SECOND = 15
HEALING_SECONDS = 45

HISTORY = """
CREATE TABLE recognition.history (n bigserial, job_id uuid, before text, after text);
CREATE FUNCTION recognition.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO recognition.history (job_id, before, after) VALUES (OLD.id, OLD.status, NEW.status);
    RETURN NULL;
END $$;
CREATE TRIGGER note AFTER UPDATE ON recognition.recognition_job FOR EACH ROW
    WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION recognition.note();
"""

FINAL = "('done', 'needs_check', 'error', 'timeout', 'dlq')"
INVARIANTS = {
    "final is final": f"SELECT job_id FROM recognition.history WHERE before IN {FINAL}",
    "a job is published once": """SELECT job_id FROM recognition.history WHERE before = 'queued' AND after = 'published'
        GROUP BY job_id HAVING count(*) > 1""",
    "the current job is the newest": """SELECT f.id FROM recognition.stored_file f WHERE f.current_recognition_job_id IS
        DISTINCT FROM (SELECT j.id FROM recognition.recognition_job j WHERE j.file_id = f.id
                       ORDER BY attempt DESC LIMIT 1)""",
    "no gap between attempts": """SELECT file_id FROM recognition.recognition_job GROUP BY file_id
        HAVING count(*) <> max(attempt) OR min(attempt) <> 1""",
    "no old attempt is active": f"""SELECT j.id FROM recognition.recognition_job j
        JOIN recognition.stored_file f ON f.id = j.file_id
        WHERE j.id <> f.current_recognition_job_id AND j.status NOT IN {FINAL}""",
    "a retry follows a failure": """SELECT later.id FROM recognition.recognition_job later
        JOIN recognition.recognition_job earlier
            ON earlier.file_id = later.file_id AND earlier.attempt = later.attempt - 1
        WHERE later.requested_at < coalesce(earlier.finished_at, 'infinity')""",
    "every job ended": f"SELECT id FROM recognition.recognition_job WHERE status NOT IN {FINAL}",
    "every file ended": "SELECT id FROM recognition.stored_file WHERE status IN ('UPLOADED', 'PROCESSING')",
    "results are the done and needs_check jobs": """SELECT 1 WHERE (SELECT count(*) FROM recognition.s3_object
        WHERE bucket_role = 'results') <> (SELECT count(*) FROM recognition.recognition_job
        WHERE status IN ('done', 'needs_check'))""",
    "a file says what its job says": """SELECT f.id FROM recognition.stored_file f
        JOIN recognition.recognition_job j ON j.id = f.current_recognition_job_id
        WHERE f.error_code IS DISTINCT FROM j.error_code
           OR (j.status IN ('error', 'timeout', 'dlq')) <> (f.status = 'ERROR' AND f.mapping_error IS NULL)""",
    "every retry has its audit": """SELECT j.id FROM recognition.recognition_job j WHERE attempt > 1
        AND NOT EXISTS (SELECT FROM recognition.audit_event a WHERE a.job_id = j.id)""",
    "no deadlocks": "SELECT 1 FROM pg_stat_database WHERE datname = current_database() AND deadlocks > 0",
    "most of what was answered in time counts": """SELECT 1 WHERE (SELECT count(*) FROM recognition.recognition_job
        WHERE result_msg_id IS NOT NULL) < 0.3 * (SELECT count(*) FROM recognition.recognition_job)""",
}
"""Name -> a query that finds whatever breaks it."""


class Arena:
    """The processes under chaos, and what was done to them."""

    def __init__(self, environment: dict[str, str], folder: Path, server: NatsServer, seed: int) -> None:
        self.done: Counter[str] = Counter()
        self._environment = environment
        self._folder = folder
        self._server = server
        self._random = random.Random(seed)
        self._frozen: list[tuple[float, subprocess.Popen[bytes]]] = []
        self._running = {
            f"{role}-{n}": self._start(f"{role}-{n}") for role, copies in COPIES.items() for n in range(copies)
        }

    def strike(self) -> None:
        """Do one thing to somebody, and undo what has lasted long enough."""
        self._thaw(before=time.monotonic())
        name = self._random.choice(["nats", *self._running])
        fault = self._random.choice(["kill -9", "freeze"])
        self.done[f"{fault} {name.partition('-')[0]}"] += 1
        if fault == "freeze":
            process = self._server.process if name == "nats" else self._running[name]
            process.send_signal(signal.SIGSTOP)
            self._frozen.append((time.monotonic() + self._random.uniform(0.3, 3), process))
        elif name == "nats":
            self._server.kill()
            self._server.start()
        else:
            self._running[name].kill()
            self._running[name].wait()
            self._running[name] = self._start(name)

    def heal(self) -> None:
        """Let everybody run; end the retriers, so that everything can come to rest."""
        self._thaw(before=float("inf"))
        for name in [name for name in self._running if name.startswith("retry")]:
            self._end(self._running.pop(name))

    def revive(self) -> None:
        """Restart whoever ended by himself, and count it: that should not happen."""
        for name, process in self._running.items():
            if process.poll() is not None:
                self.done[f"ended by itself: {name.partition('-')[0]}"] += 1
                self._running[name] = self._start(name)

    def close(self) -> None:
        self._thaw(before=float("inf"))
        for process in self._running.values():
            self._end(process)

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        with (self._folder / f"{name}.log").open("ab") as log:
            words = [sys.executable, "-m", "tests.chaos.recognition_process", name.partition("-")[0]]
            return subprocess.Popen(words, env=self._environment, stdout=log, stderr=log)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()

    def _thaw(self, before: float) -> None:
        for until, process in [each for each in self._frozen if each[0] <= before]:
            process.send_signal(signal.SIGCONT)
            self._frozen.remove((until, process))


def run(seconds: float, seed: int, sabotage: str, folder: Path) -> list[str]:
    """Run, heal, and return the invariants that do not hold; `folder` takes journals and logs."""
    with throwaway_stack(f"chaos-{seed}") as stack:
        start(stack, "postgresql")
        database = Database(stack.postgresql, "chaos")
        database.create()
        owner = Owner(database.url)
        owner.sql(HISTORY)
        server = NatsServer(folder)
        core = Core(database.url_of("ledger_core"), server.url, folder)
        environment = {**os.environ, **core.environment, **ENVIRONMENT, "SABOTAGE": sabotage}
        service = UnreliableService(server.url, core.settings.subjects["tabular_request"], DEADLINE, seed)
        arena = Arena(environment, folder, server, seed)
        try:
            _rage(core, arena, seconds, seed)
            arena.heal()
            _rest(core, arena)
            broken = [name for name, query in INVARIANTS.items() if owner.rows(query)]
            _report(core, arena, service, seed, broken)
        finally:
            arena.close()
            service.close()
            server.kill()
        return broken


def _rage(core: Core, arena: Arena, seconds: float, seed: int) -> None:
    """Add jobs all the time; strike as soon as everybody is at work."""
    chance = random.Random(seed + 1)
    core.add_job()
    wait_until(lambda: core.sql("SELECT 1 FROM recognition.stored_file WHERE status NOT IN ('UPLOADED')"), 120)
    ends = time.monotonic() + seconds
    strike_at = time.monotonic()
    while time.monotonic() < ends:
        core.add_job()
        time.sleep(chance.expovariate(JOBS_PER_SECOND))
        if time.monotonic() >= strike_at:
            arena.revive()
            arena.strike()
            strike_at = time.monotonic() + chance.uniform(0.3, 1.5)


def _rest(core: Core, arena: Arena) -> None:
    """Wait until nothing moves any more, or as long as everything could take."""
    ends = time.monotonic() + HEALING_SECONDS
    moving = ("every job ended", "every file ended")
    while time.monotonic() < ends and any(core.sql(INVARIANTS[name]) for name in moving):
        arena.revive()
        time.sleep(0.5)


def _report(core: Core, arena: Arena, service: UnreliableService, seed: int, broken: list[str]) -> None:
    statuses = core.sql("SELECT status, count(*) AS n FROM recognition.recognition_job GROUP BY status ORDER BY status")
    print(f"seed {seed}")
    print("jobs:", ", ".join(f"{row['status']} {row['n']}" for row in statuses))
    print("faults:", ", ".join(f"{what} {n}" for what, n in sorted(arena.done.items())) or "none")
    print("service:", ", ".join(f"{what} {n}" for what, n in sorted(service.counted.items())))
    for name in INVARIANTS:
        print(f"{'BROKEN' if name in broken else 'holds '} {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--sabotage", default="", help="final, retry or lose: the run must then find it")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="ledger-chaos-"))
    if run(given.seconds, given.seed, given.sabotage, folder):
        sys.exit(f"logs: {folder}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
