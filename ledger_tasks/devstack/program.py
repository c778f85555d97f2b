"""One supervised program: what to run in which environment, as the shell script that runs it."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Program:
    """`data_folder`, if given, is open as descriptor 9, so that a user who cannot reach the folder can work in it."""

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path
    data_folder: Path | None = None

    def script(self) -> str:
        """Return the script; run by hand, it does what the supervisor does."""
        exports = [f"export {name}={shlex.quote(value)}" for name, value in sorted(self.environment.items())]
        opened = f" 9< {shlex.quote(str(self.data_folder))}" if self.data_folder else ""
        place = f"cd {shlex.quote(str(self.directory))}"
        lines = ["#!/bin/sh", place, *exports, f"exec {shlex.join(self.argv)}{opened}"]
        return "\n".join(lines) + "\n"


DATA_DESCRIPTOR = "/proc/self/fd/9"
"""How a program names its data folder."""
