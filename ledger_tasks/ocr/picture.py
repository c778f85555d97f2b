"""A document's bytes come in on stdin; one page, drawn anew exactly as it was read, goes out as JPEG on stdout.

Runs as a program of its own: a stranger's file is decoded without network, secrets or a way to harm who asked for it.
"""

import json
import resource
import sys
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image

from ledger_tasks.errors import Terminal
from ledger_tasks.ocr import sandbox
from ledger_tasks.ocr.documents import open_document

MEMORY_BYTES: Final = 2 * 1024**3
"""Address space: the largest picture that is read takes a quarter of it while it is decoded."""

CPU_SECONDS: Final = 20
"""As long as anybody waits for a page; also what a program that it starts may use."""

QUALITY: Final = 82
"""JPEG quality at which small print stays readable."""


def main() -> None:
    """Draw the page whose number is the second argument; a document that cannot be read ends with its code (exit 3)."""
    sandbox.die_with(int(sys.argv[1]))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    sandbox.confine(Path.cwd())  # after it no limit can be changed
    try:
        document = open_document(sys.stdin.buffer.read())
        drawn = document.page(min(int(sys.argv[2]), document.pages))
    except Terminal as error:
        sys.stdout.write(error.code)
        sys.exit(3)
    image = Image.fromarray(drawn.pixels)
    jpeg = BytesIO()
    image.save(jpeg, "JPEG", quality=QUALITY)
    facts = {"width": image.width, "height": image.height, "page": drawn.number, "pages": document.pages}
    sys.stdout.buffer.write(json.dumps(facts).encode() + b"\n" + jpeg.getvalue())


if __name__ == "__main__":
    main()
