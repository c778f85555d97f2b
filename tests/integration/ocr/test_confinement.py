"""What a confined process can no longer do, asked of the kernel by a process that is confined."""

import json
import socket
import subprocess
import sys
import textwrap
import time

from ledger_tasks.ocr import sandbox

ASK = """
import json, resource, socket, sys
from pathlib import Path
from ledger_tasks.ocr import sandbox

sandbox.confine(Path(sys.argv[2]).parent)
status = dict(line.split(":\\t", 1) for line in Path("/proc/self/status").read_text().splitlines())
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
    reached = "connected"
except OSError as error:
    reached = type(error).__name__
with open(sys.argv[2], "wb") as file:
    try:
        file.truncate(sandbox.MAX_FILE_BYTES + 1)
        wrote = "written"
    except OSError as error:
        wrote = type(error).__name__
print(json.dumps({
    "core": resource.getrlimit(resource.RLIMIT_CORE),
    "no_new_privileges": status["NoNewPrivs"].strip(),
    "reached": reached,
    "wrote": wrote,
    "oom": Path("/proc/self/oom_score_adj").read_text().strip(),
}))
"""


def test_a_confined_process_has_no_network_no_large_files_no_new_rights_and_no_core(tmp_path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        words = [sys.executable, "-c", ASK, str(server.getsockname()[1]), str(tmp_path / "large")]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["reached"] != "connected"
    assert found["wrote"] == "OSError"
    assert found["core"] == [0, 0]
    assert found["no_new_privileges"] == "1"
    assert int(found["oom"]) == sandbox.OOM_SCORE


def test_the_memory_of_what_a_reader_started_counts_as_its_own() -> None:
    program = textwrap.dedent("""
        import subprocess, sys
        child = "held = bytearray(200 << 20); print('ready', flush=True); input()"
        subprocess.run([sys.executable, "-c", child])
    """)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == "ready\n"
        began = time.perf_counter()
        assert sandbox.resident(parent.pid) > 200 << 20
        assert time.perf_counter() - began < 0.05, "it is asked five times a second"
        parent.kill()
