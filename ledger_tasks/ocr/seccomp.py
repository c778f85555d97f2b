"""System calls that a reader never needs; afterwards the kernel refuses them to it and to all that it starts."""

import ctypes
import errno
import os
import struct
from typing import Final

_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
"""Instructions of the kernel's filter machine (classic BPF)."""

_ALLOW: Final = 0x7FFF_0000
_REFUSE: Final = 0x0005_0000 | errno.EPERM
_NUMBER_AT, _ARCHITECTURE_AT, _LIMIT_AT = 0, 4, 32
"""Where a call's number, its architecture and its third argument lie; 64 bits of an argument are two words."""

_OTHER_NUMBERS: Final = 0x4000_0000
"""From here on a 64-bit Intel kernel counts the calls of its x32 programs: the same calls under other numbers."""

_ARCHITECTURES: Final = {"x86_64": (0, 0xC000_003E, 317), "aarch64": (1, 0xC000_00B7, 277)}
"""Column of the tables below, the kernel's name, and the number of seccomp itself."""

_REFUSED: Final = {
    # No network of any kind, also where no namespace can be made.
    "socket": (41, 198),
    "io_uring_setup": (425, 425),
    # Nobody leaves the group of processes that is killed as one.
    "setsid": (112, 157),
    "setpgid": (109, 154),
    # Limits stay; other processes and the inside of the kernel are nobody's business here.
    "setrlimit": (160, 164),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
}
_PRLIMIT: Final = (302, 261)
"""Refused only with new limits: libraries ask for the present ones."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def refuse_calls() -> bool:
    """Refuse them from now on (EPERM); return whether the kernel could. Needs no privilege, but no_new_privs."""
    if os.uname().machine not in _ARCHITECTURES:
        return False
    column, architecture, seccomp = _ARCHITECTURES[os.uname().machine]
    code = _filter(column, architecture)
    program = _Program(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.syscall(seccomp, _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(program)) == 0)


def _filter(column: int, architecture: int) -> bytes:
    """Return the program: jumps are counted in instructions, so each test is followed by its verdict."""
    refuse = _step(_RETURN, _REFUSE)
    code = _step(_LOAD, _ARCHITECTURE_AT) + _step(_EQUAL, architecture, 1, 0) + refuse
    code += _step(_LOAD, _NUMBER_AT) + _step(_AT_LEAST, _OTHER_NUMBERS, 0, 1) + refuse
    for numbers in _REFUSED.values():
        code += _step(_EQUAL, numbers[column], 0, 1) + refuse
    code += _step(_EQUAL, _PRLIMIT[column], 0, 6)
    for word in (_LIMIT_AT, _LIMIT_AT + 4):
        code += _step(_LOAD, word) + _step(_EQUAL, 0, 1, 0) + refuse
    return code + _step(_RETURN, _ALLOW)


def _step(operation: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", operation, if_true, if_false, operand)
