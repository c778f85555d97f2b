"""A confined reader opens nothing but programs, libraries and its own folder."""

import subprocess
import sys

import pytest

from ledger_tasks.ocr import landlock

PROGRAM = """
import sys
from pathlib import Path
from ledger_tasks.ocr import sandbox
own, receipt = Path(sys.argv[1]), Path(sys.argv[2])
sandbox.confine(own)
(own / "page.png").write_text("mine")
print((own / "page.png").read_text())
for attempt in (receipt.read_text, lambda: receipt.write_text("x"), lambda: receipt.with_name("new").write_text("x")):
    try:
        attempt()
        print("open")
    except PermissionError:
        print("shut")
"""


@pytest.mark.skipif(not landlock.is_supported(), reason="this kernel has no Landlock")
def test_a_confined_reader_reaches_its_folder_and_no_receipt(tmp_path):
    own, receipt = tmp_path / "own", tmp_path / "receipts" / "r.jpg"
    own.mkdir()
    receipt.parent.mkdir()
    receipt.write_text("private")
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(own), str(receipt)], capture_output=True, text=True, check=True
    )
    assert ended.stderr == ""
    assert ended.stdout.split() == ["mine", "shut", "shut", "shut"]
    assert receipt.read_text() == "private"
