"""Another Debian in a folder, made once per machine: a suite and packages in, the root of a tree to chroot into out.

`CI=true python -m tests.support.debian trixie rabbitmq-server` makes one beforehand.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

TREES = Path("/var/tmp/ledger-debian")
CLIENT_SETTINGS = ("/etc/pip.conf", "/etc/ssl/certs", "/usr/local/share/ca-certificates")
CLIENT_VARIABLES = re.compile(r"^(PIP_|UV_|SSL_|CURL_|REQUESTS_)|_proxy$|_PROXY$")


@contextmanager
def debian(suite: str, *packages: str) -> Iterator[Path]:
    """Give a tree with /proc in it; skips where nothing can be bootstrapped, fails there with CI=true."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        reason = "needs root and debootstrap"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    key = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:8]
    tree = TREES / f"{suite}-{key}"
    TREES.mkdir(exist_ok=True)
    with FileLock(TREES / f"{tree.name}.lock"):
        if not tree.exists():
            _bootstrap(suite, packages, tree)
        subprocess.run(["mount", "--bind", "/proc", tree / "proc"], check=True)
    try:
        yield tree
    finally:
        subprocess.run(["umount", "--lazy", tree / "proc"], check=True)


def client_environment() -> dict[str, str]:
    """What this machine's package clients were told, for the same clients inside a tree."""
    return {name: value for name, value in os.environ.items() if CLIENT_VARIABLES.search(name)}


def lend_clients(tree: Path) -> None:
    """Copy this machine's package sources, certificates and client settings into a tree."""
    files = [Path(value) for value in client_environment().values() if value.startswith("/") and Path(value).exists()]
    for source in (Path("/etc/apt"), *map(Path, CLIENT_SETTINGS), *files):
        target = tree / source.relative_to("/")
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)  # its links lead to this machine's files when seen from here
            shutil.copytree(source, target)
        elif source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copy(source, target)
    for name in ("/etc/resolv.conf", "/etc/hosts"):
        shutil.copy(name, tree / name.lstrip("/"))


def _bootstrap(suite: str, packages: tuple[str, ...], tree: Path) -> None:
    sources = Path("/etc/apt").rglob("*.sources"), Path("/etc/apt").rglob("*.list")
    text = "\n".join(path.read_text() for paths in sources for path in paths)
    mirror = re.search(r"^(?:URIs:|deb)\s+(?:\[[^]]*\]\s+)?(\S+)", text, re.MULTILINE)
    made = tree.with_suffix(".making")
    shutil.rmtree(made, ignore_errors=True)
    include = [f"--include={','.join(packages)}"] if packages else []
    words = ["debootstrap", "--variant=minbase", *include, suite, str(made), *([mirror[1]] if mirror else [])]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.fail(f"{' '.join(words)} failed; it needs a Debian mirror:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    made.rename(tree)


if __name__ == "__main__":
    with debian(sys.argv[1], *sys.argv[2:]) as prepared:
        print(prepared)
