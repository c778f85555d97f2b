"""Folders to read and one to write come in; afterwards this process can open nothing else. Linux 5.13 and newer."""

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Numbers of the system calls, the same on every architecture."""

_ABI_QUERY: Final = 1
_PATH_BENEATH: Final = 1
_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3
_READ: Final = _EXECUTE | _READ_FILE | _READ_DIR
_RIGHTS_BY_ABI: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many of the rights over files a kernel's version of Landlock knows; each is one bit."""

_SIGNALS: Final = 1 << 1
_SIGNALS_ABI: Final = 6
"""From this version on, signals can be kept to the processes that gave up the same."""

_FILE_RIGHTS: Final = _EXECUTE | 1 << 1 | _READ_FILE | 1 << 14 | 1 << 15
"""Rights that a file can have; the others are those of folders."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("ports", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def is_supported() -> bool:
    """Say whether the kernel has Landlock switched on."""
    return _abi() > 0


def restrict(readable: Iterable[Path], writable: Iterable[Path]) -> bool:
    """Give up all files but those beneath the paths, and signals to others; return whether the kernel could."""
    abi = _abi()
    if abi <= 0:
        return False
    every = (1 << _RIGHTS_BY_ABI[min(abi, max(_RIGHTS_BY_ABI))]) - 1
    size = ctypes.sizeof(_Ruleset) if abi >= _SIGNALS_ABI else ctypes.sizeof(ctypes.c_uint64)
    ruleset = _call(_CREATE_RULESET, ctypes.byref(_Ruleset(every, 0, _SIGNALS)), size, 0)
    for path, rights in [*((path, _READ) for path in readable), *((path, every) for path in writable)]:
        if path.exists():
            _allow(ruleset, path, rights & every)
    _call(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return True


def _allow(ruleset: int, path: Path, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    granted = rights if path.is_dir() else rights & _FILE_RIGHTS
    _call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(_PathBeneath(granted, descriptor)), 0)
    os.close(descriptor)


def _abi() -> int:
    return int(ctypes.CDLL(None, use_errno=True).syscall(_CREATE_RULESET, None, 0, _ABI_QUERY))


def _call(number: int, *arguments: object) -> int:
    result = int(ctypes.CDLL(None, use_errno=True).syscall(number, *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
