"""A file that a command makes: its path comes in, a file to fill goes out and stands there whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from ledger_tasks.errors import DependencyDownError


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """Give a temporary file beside `path`, readable by its owner alone, that takes its place at the end.

    Raises DependencyDownError when it cannot be written.
    """
    try:
        with NamedTemporaryFile(dir=path.absolute().parent, prefix=f".{path.name}.", delete=False) as file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).replace(path)
            except BaseException:
                with suppress(OSError):
                    Path(file.name).unlink()
                raise
    except OSError as trouble:
        raise DependencyDownError(
            f"{path} cannot be written: {trouble.strerror}", remedy="Name another file; nothing was changed."
        ) from trouble
