"""A folder comes in; names and kinds of files that strangers put there are planted, with what a walk must say."""

import os
import stat
from pathlib import Path
from typing import Literal

Sight = Literal["found", "invalid", "unsupported", "nothing"]

NAMES: dict[bytes, Sight] = {
    b"plain.pdf": "found",
    b"UPPER.PDF": "found",
    b"two.dots.pdf": "found",
    b"space in it .jpg": "found",
    b"-rf.pdf": "found",
    b"--help.png": "found",
    b"@list.jpg": "found",
    b"$(touch escaped).pdf": "found",
    b"`id`;rm -rf x&.pdf": "found",
    b"' OR 1=1 --.pdf": "found",
    b"<img src=x onerror=alert(1)>.pdf": "found",
    b"%2e%2e%2fetc%2fpasswd.pdf": "found",
    b"..pdf..pdf": "nothing",
    b"a..pdf": "found",
    b"%s%n{0}{x.__class__}.pdf": "found",
    "caf\u00e9.pdf".encode(): "found",
    "cafe\u0301.pdf".encode(): "found",
    "\u202egpj.pdf".encode(): "found",
    "\u0420\u0435\u0447\u0435\u043d\u0438\u0435.pdf".encode(): "found",
    "\U0001f9fe.pdf".encode(): "found",
    b"x" * 251 + b".pdf": "found",
    b"line\nfeed.pdf": "invalid",
    b"inject.pdf\r\nX-Header: yes.pdf": "invalid",
    b"escape\x1b[2J.pdf": "invalid",
    b"bell\x07.jpg": "invalid",
    b"tab\there.png": "invalid",
    b"delete\x7f.pdf": "invalid",
    b"back\\slash.pdf": "invalid",
    b"latin-1-caf\xe9.pdf": "invalid",
    b"half\xe2\x82.pdf": "invalid",
    b"overlong\xc0\xaf.pdf": "invalid",
    b"surrogate\xed\xa0\x80.pdf": "invalid",
    b".hidden.pdf": "nothing",
    b"._apple.jpg": "nothing",
    b"pdf": "unsupported",
    b"no-ending": "unsupported",
    b"receipt.pdf.exe": "unsupported",
    b"receipt.pdf ": "unsupported",
    b"receipt.pdf.part": "unsupported",
    b"receipt.json.old": "unsupported",
}
"""Names of ordinary files. What is safe to carry is found, however odd: it is a name and never a command."""


def plant(root: Path) -> dict[bytes, Sight]:
    """Create the files, and beside them links, pipes and sockets; return what is to be said of each."""
    base = os.fsencode(root)
    for name in NAMES:
        Path(os.fsdecode(os.path.join(base, name))).write_bytes(name)  # noqa: PTH118 (pathlib joins no bytes)
    (root / "leads-out.pdf").symlink_to("/etc/passwd")
    (root / "leads-up.pdf").symlink_to("../../../../../../etc/hostname")
    (root / "leads-nowhere.pdf").symlink_to("gone.pdf")
    (root / "leads-to-itself.pdf").symlink_to("leads-to-itself.pdf")
    (root / "leads-inside.pdf").symlink_to("plain.pdf")
    (root / "leads-to-a-device.pdf").symlink_to("/dev/zero")
    (root / "folder-out").symlink_to("/etc")
    os.mkfifo(root / "pipe.pdf")
    os.mknod(root / "socket.pdf", stat.S_IFSOCK | 0o600)
    (root / "folder.pdf").mkdir()
    (root / ".hidden").mkdir()
    (root / ".hidden" / "inside.pdf").write_bytes(b"x")
    return NAMES | {
        b"leads-out.pdf": "invalid",
        b"leads-up.pdf": "invalid",
        b"leads-nowhere.pdf": "invalid",
        b"leads-to-itself.pdf": "invalid",
        b"leads-inside.pdf": "found",
        b"leads-to-a-device.pdf": "invalid",
        b"folder-out": "invalid",
        b"pipe.pdf": "invalid",
        b"socket.pdf": "invalid",
    }
