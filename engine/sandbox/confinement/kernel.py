"""Calls into the kernel that Python has no function for; each failure is an OSError that names the call."""

from __future__ import annotations

import ctypes
import os

from engine.sandbox.confinement.syscalls import this_machine

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_GET_NO_NEW_PRIVS = 39

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def failed(call: str) -> OSError:
    """The error that errno stands for, said with the name of the call."""
    number = ctypes.get_errno()
    return OSError(number, f"{call}: {os.strerror(number)}")


def prctl(operation: int, first: int = 0, second: int = 0) -> int:
    """``prctl(2)``; all five arguments are always passed as longs, as the kernel demands of some operations."""
    arguments = (ctypes.c_ulong(first), ctypes.c_ulong(second), ctypes.c_ulong(0), ctypes.c_ulong(0))
    answer: int = _libc.prctl(ctypes.c_int(operation), *arguments)
    if answer < 0:
        raise failed(f"prctl({operation})")
    return answer


def system_call(name: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Any system call by name; integers are passed as longs.

    Raises OSError with the kernel's errno, NotImplementedError on a machine without a number for it.
    """
    machine = this_machine()
    if machine is None or name not in machine.numbers:
        raise NotImplementedError(
            f"no number for the system call {name} on this machine: see engine/sandbox/confinement/syscalls.py"
        )
    converted = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    answer: int = _libc.syscall(ctypes.c_long(machine.numbers[name]), *converted)
    if answer < 0:
        raise failed(name)
    return answer


def process_status(field: str) -> int:
    """One number of ``/proc/self/status`` (``VmSize`` and ``VmData`` in kB, ``Threads``).

    Raises:
        LookupError: there is no such field.
    """
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    raise LookupError(f"/proc/self/status has no field {field!r}")
