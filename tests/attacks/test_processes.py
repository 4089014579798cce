"""Stopped by seccomp (EPERM or SIGSYS), RLIMIT_NPROC, the pid namespace, Landlock's scopes, not being dumpable."""

from __future__ import annotations

import pytest

from engine.sandbox.confinement.syscalls import X86_64, this_machine
from engine.sandbox.ending import Ending
from tests.attacks.arena import EPERM, Arena

REFUSED = {
    "fork": "os.fork()",
    "fork with a terminal": "os.forkpty()",
    "spawn a program": "os.posix_spawn('/bin/sh', ['sh'], {})",
    "kill its parent": "os.kill(os.getppid(), 9)",
    "stop its parent": "os.kill(os.getppid(), 19)",
    "kill the first process": "os.kill(1, 9)",
    "kill everybody": "os.kill(-1, 9)",
    "stop itself": "os.kill(os.getpid(), 19)",
    "kill its group": "os.killpg(0, 9)",
    "start a session": "os.setsid()",
    "leave its group": "os.setpgid(0, 0)",
    "become nicer": "os.nice(-5)",
    "choose its processors": "os.sched_setaffinity(0, {0})",
    "become root": "os.setuid(0)",
    "change its groups": "os.setgroups([0])",
    "wait for its siblings": "os.waitpid(-1, 1)",
    "get a handle on its parent": "os.pidfd_open(os.getppid())",
    "see its siblings' scheduling": "os.sched_getaffinity(1)",
}


@pytest.mark.parametrize("statement", REFUSED.values(), ids=REFUSED.keys())
async def test_a_snippet_cannot(arena: Arena, statement: str) -> None:
    assert await arena.tried(statement) == EPERM


KILLED = {
    "become another program": ("execve", ["b'/bin/sh'", "None", "None"]),
    "become a program without a file": ("execveat", ["-1", "b''", "None", "None", "0x1000"]),
    "trace its parent": ("ptrace", ["16", "os.getppid()", "0", "0"]),
    "be traced": ("ptrace", ["0", "0", "0", "0"]),
    "read its parent's memory": ("process_vm_readv", ["os.getppid()", "room", "1", "room", "1", "0"]),
    "write its parent's memory": ("process_vm_writev", ["os.getppid()", "room", "1", "room", "1", "0"]),
    "take its parent's descriptors": ("pidfd_getfd", ["3", "0", "0"]),
    "compare kernel objects": ("kcmp", ["os.getppid()", "os.getpid()", "0", "0", "0"]),
}


@pytest.mark.parametrize(("call", "arguments"), KILLED.values(), ids=KILLED.keys())
async def test_a_snippet_ends_when_it_tries_to(arena: Arena, call: str, arguments: list[str]) -> None:
    assert await arena.called(call, *arguments) == "SIGSYS"


@pytest.mark.skipif(this_machine() is not X86_64, reason="other machines have no such calls")
@pytest.mark.parametrize("call", ["fork", "vfork"])
async def test_the_old_calls_for_a_fork_end_the_run(arena: Arena, call: str) -> None:
    assert await arena.called(call) == "SIGSYS"


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("clone", ["0x11", "0", "0", "0", "0"]),
        ("clone3", ["room", "64"]),
        ("tgkill", ["os.getppid()", "os.getppid()", "9"]),
        ("pidfd_send_signal", ["3", "9", "None", "0"]),
        ("prlimit64", ["os.getppid()", "7", "room", "None"]),
        ("prlimit64", ["0", "7", "b'\\xff' * 16", "None"]),
        ("prctl", ["4", "1", "0", "0", "0"]),
        ("prctl", ["1", "0", "0", "0", "0"]),
        ("rt_sigprocmask", ["0", "b'\\xff' * 8", "None", "8"]),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
async def test_a_raw_call_is_refused(arena: Arena, call: str, arguments: list[str]) -> None:
    assert await arena.called(call, *arguments) == EPERM


async def test_a_thread_cannot_start_and_the_error_says_so(arena: Arena) -> None:
    fight = await arena.fight("import threading\nthreading.Thread(target=print).start()")
    assert fight.error == "RuntimeError"
    assert "can't start new thread" in fight.trace.outcome.message


async def test_the_shell_is_not_there(arena: Arena) -> None:
    fight = await arena.fight("import os\nprint(os.system('echo escaped'))")
    assert "escaped" not in fight.said
    assert fight.said != "0"


async def test_a_run_that_leaves_by_itself_is_reaped_and_the_person_keeps_the_steps(arena: Arena) -> None:
    fight = await arena.fight("import os\nprint('before')\nos._exit(0)")
    assert fight.ending is Ending.EXIT
    assert fight.said == "before"
    assert fight.line == 3


async def test_exit_handlers_never_run(arena: Arena) -> None:
    fight = await arena.fight("import atexit\natexit.register(print, 'late')\nprint('early')")
    assert fight.said == "early"
