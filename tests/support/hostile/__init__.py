"""A seed comes in; hostile files and messages (and `names`), each with the verdicts that are right for it, go out.

Everything is made in memory. No file is meant to be committed, and none holds anybody's exploit: each is a small
program's idea of what strangers, broken scanners and half transfers send.
"""

from collections.abc import Iterator
from random import Random

from tests.support.hostile import bodies, damaged, disguised, pdfs, pictures
from tests.support.hostile.case import READ, HostileFile, HostileMessage

__all__ = ["READ", "HostileFile", "HostileMessage", "files", "messages"]


def files(seed: int = 7) -> Iterator[HostileFile]:
    """Every hostile file, one at a time: some are megabytes."""
    chance = Random(seed)
    yield from pictures.files()
    yield from pdfs.files()
    yield from disguised.files()
    yield from damaged.files(chance)


def messages() -> Iterator[HostileMessage]:
    """Every hostile work message."""
    yield from bodies.messages()
