"""The files that pages load: style, our few keys, and htmx, read once; a change of any changes every address."""

from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

from fastapi import HTTPException, Response
from fastapi import Path as InPath

_FOLDER: Final = Path(__file__).parent / "static"
_TYPES: Final = {
    "pages.css": "text/css",
    "pages.js": "text/javascript",
    "htmx.min.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_FILES: Final = {name: (_FOLDER / name).read_bytes() for name in _TYPES}

VERSION: Final = sha256(b"".join(_FILES.values())).hexdigest()[:12]
"""Stands in every address, so that browsers may keep a file for ever."""


def asset(name: Annotated[str, InPath()]) -> Response:
    """Return one file; needs no login, since it says nothing about anybody."""
    if name not in _FILES:
        raise HTTPException(404, "there is no such file")
    keep = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(_FILES[name], media_type=f"{_TYPES[name]}; charset=utf-8", headers=keep)
