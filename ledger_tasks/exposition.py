"""Metrics of a worker over HTTP: a port comes in; all its processes count into one folder, which Prometheus reads."""

import atexit
import os
import shutil
import sys
import tempfile
from typing import Final

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"


def count_together() -> None:
    """Let this process and its children count into one folder; before anything imports prometheus_client."""
    assert "prometheus_client" not in sys.modules, "it decides at its import where it counts"
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="ledger-metrics-")
        atexit.register(_remove, os.environ[FOLDER], os.getpid())


def expose(port: int) -> None:
    """Answer `GET /metrics` on this port from now on, in a thread."""
    from prometheus_client import CollectorRegistry, start_http_server  # noqa: PLC0415 (after `count_together`)
    from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415 (same)

    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    start_http_server(port, registry=registry)


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
