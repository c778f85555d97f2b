"""What a confined process can no longer do, asked of the kernel by a process that is confined."""

import json
import os
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from ledger_tasks.ocr import sandbox
from ledger_tasks.ocr.usage import Usage

ASK = """
import json, resource, socket, sys
from pathlib import Path
from ledger_tasks.ocr import sandbox
from ledger_tasks.ocr.usage import Usage

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
        assert Usage.of(parent.pid).resident > 200 << 20
        assert time.perf_counter() - began < 0.05, "it is asked five times a second"
        parent.kill()


FORK = """
import ctypes, os, signal, sys
from pathlib import Path
from ledger_tasks.ocr import reader, sandbox

if os.geteuid() == 0:
    # Python itself may lie where only root may look.
    import encodings.ascii
    sandbox._readable = lambda: []
    os.setgid(65534)
    os.setuid(65534)
    ctypes.CDLL(None).prctl(4, 1)  # as after an exec by that user
sandbox.confine(Path("/tmp"))
started = []
try:
    while len(started) < 2 * sandbox.MAX_TASKS:
        child = os.fork()
        if child == 0:
            signal.pause()
        started.append(child)
except BlockingIOError:
    pass
for child in started:
    os.kill(child, signal.SIGKILL)
print(Path("/proc/self/ns/user").readlink(), len(started))
"""


def test_the_kernel_counts_the_processes_of_a_reader_that_is_not_root() -> None:
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # as a reader's environment is; threads get no namespace
    done = subprocess.run([sys.executable, "-c", FORK], stdout=subprocess.PIPE, text=True, check=True, env=one_thread)
    namespace, started = done.stdout.split()
    if namespace == str(Path("/proc/self/ns/user").readlink()):
        pytest.skip("this kernel gives nobody a user namespace")
    assert 0 < int(started) < sandbox.MAX_TASKS


CALLS = """
import ctypes, errno, json, os, resource, socket, sys
from pathlib import Path
from ledger_tasks.ocr import sandbox

def refused(call):
    try:
        call()
    except (PermissionError, ValueError):  # the latter for limits
        return True
    return False

libc = ctypes.CDLL(None, use_errno=True)
def raw(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)

sandbox.confine(Path(sys.argv[1]))
print(json.dumps({
    "internet": refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
    "netlink": refused(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)),
    "local": refused(lambda: socket.socket(socket.AF_UNIX)),
    "session": refused(os.setsid),
    "group": refused(lambda: os.setpgid(0, 0)),
    "limits": refused(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))),
    "its own namespace": refused(lambda: raw("unshare", 0x10000000)),
    "other processes": refused(lambda: raw("ptrace", 16, os.getppid(), 0, 0)),
    "signals": refused(lambda: os.kill(os.getppid(), 0)),
}))
resource.getrlimit(resource.RLIMIT_NOFILE)
"""


def test_the_kernel_refuses_the_calls_that_a_reader_never_needs(tmp_path) -> None:
    done = subprocess.run([sys.executable, "-c", CALLS, str(tmp_path)], stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    assert [name for name, is_refused in found.items() if not is_refused] == []
