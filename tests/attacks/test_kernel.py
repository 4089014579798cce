"""The kernel's dangerous corners, kept shut by seccomp: the run ends (SIGSYS), or the call is refused (EPERM)."""

from __future__ import annotations

import pytest

from engine.sandbox.confinement.syscalls import X86_64, this_machine
from engine.sandbox.ending import Ending
from tests.attacks.arena import EPERM, Arena, system_call

KILLED = {
    "io_uring": ("io_uring_setup", ["8", "room"]),
    "io_uring on a ring it did not make": ("io_uring_enter", ["3", "1", "1", "0", "None", "0"]),
    "user page faults": ("userfaultfd", ["0"]),
    "kernel programs": ("bpf", ["0", "room", "48"]),
    "performance counters": ("perf_event_open", ["room", "0", "-1", "-1", "0"]),
    "key rings": ("keyctl", ["0", "-3", "0", "0", "0"]),
    "a new key": ("add_key", ["b'user'", "b'x'", "b'x'", "1", "-3"]),
    "a file in memory to execute": ("memfd_create", ["b'x'", "0"]),
    "namespaces": ("unshare", ["0x10000000"]),
    "another's namespaces": ("setns", ["3", "0"]),
    "mounts": ("mount", ["b'none'", "b'/tmp'", "b'tmpfs'", "0", "None"]),
    "mounts, newer": ("fsopen", ["b'tmpfs'", "0"]),
    "the root": ("pivot_root", ["b'/tmp'", "b'/tmp'"]),
    "the root, older": ("chroot", ["b'/tmp'"]),
    "kernel modules": ("init_module", ["room", "16", "b''"]),
    "another kernel": ("kexec_load", ["0", "0", "None", "0"]),
    "the machine": ("reboot", ["0xfee1dead", "672274793", "0x1234567", "None"]),
    "the kernel's log": ("syslog", ["3", "room", "4096"]),
    "the personality": ("personality", ["0x40000"]),
}


@pytest.mark.parametrize(("call", "arguments"), KILLED.values(), ids=KILLED.keys())
async def test_a_run_ends_that_reaches_for(arena: Arena, call: str, arguments: list[str]) -> None:
    assert await arena.called(call, *arguments) == "SIGSYS"


@pytest.mark.skipif(this_machine() is not X86_64, reason="segments and ports exist on x86 only")
@pytest.mark.parametrize("call", ["modify_ldt", "iopl", "ioperm"])
async def test_a_run_ends_that_reaches_for_old_x86_calls(arena: Arena, call: str) -> None:
    assert await arena.called(call, "1", "room", "16") == "SIGSYS"


@pytest.mark.skipif(this_machine() is not X86_64, reason="x32 is a convention of x86_64")
async def test_a_call_by_the_x32_convention_ends_the_run(arena: Arena) -> None:
    code = system_call("getpid").replace("libc.syscall(39", "libc.syscall(39 | 0x40000000")
    assert "0x40000000" in code
    assert (await arena.fight(code)).ending is Ending.SYSTEM_CALL


REFUSED = {
    "memory that is writable and executable": ("mmap", ["0", "4096", "7", "0x22", "-1", "0"]),
    "memory that is executable": ("mmap", ["0", "4096", "5", "0x22", "-1", "0"]),
    "shared memory": ("mmap", ["0", "4096", "3", "0x21", "-1", "0"]),
    "huge pages": ("mmap", ["0", "2097152", "3", "0x40022", "-1", "0"]),
    "memory of a file": ("mmap", ["0", "4096", "1", "0x2", "3", "0"]),
    "executable pages made of others": ("mprotect", ["(ctypes.addressof(room) // 4096) * 4096", "4096", "7"]),
    "executable pages with a key": ("pkey_mprotect", ["(ctypes.addressof(room) // 4096) * 4096", "4096", "7", "-1"]),
    "a filter of its own": ("seccomp", ["1", "0", "room"]),
    "a Landlock domain of its own": ("landlock_create_ruleset", ["None", "0", "1"]),
    "a mutex with priority inheritance": ("futex", ["room", "6", "0", "None"]),
    "requeueing": ("futex", ["room", "3", "1", "1", "room", "0"]),
    "advice that loses pages for others": ("madvise", ["(ctypes.addressof(room) // 4096) * 4096", "4096", "9"]),
}


@pytest.mark.parametrize(("call", "arguments"), REFUSED.values(), ids=REFUSED.keys())
async def test_a_run_is_refused(arena: Arena, call: str, arguments: list[str]) -> None:
    assert await arena.called(call, *arguments) == EPERM


async def test_machine_code_in_data_does_not_run(arena: Arena) -> None:
    """Pages are not executable, so jumping into a buffer is a crash."""
    fight = await arena.fight("""
        import ctypes
        code = ctypes.create_string_buffer(b"\\xc3" * 64)
        print("jumping")
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(code))()
    """)
    assert fight.ending is Ending.CRASH
    assert fight.said == "jumping"
