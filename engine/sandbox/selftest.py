"""Attacks that run before the first snippet does: a sandbox that does not hold must not open.

Each attack is an ordinary snippet on the ordinary path. It must be **seen** to be stopped: refused with a known errno,
which it prints, or killed by the kernel. An attack that fails for another reason (a typo, a missing module) counts as
not stopped, so this test cannot pass by accident.
"""

from __future__ import annotations

import dataclasses
import errno
from collections.abc import Collection

from engine.sandbox.attempt import Attempt
from engine.sandbox.check import Forged, check
from engine.sandbox.confinement.syscalls import this_machine
from engine.sandbox.ending import Ending
from engine.sandbox.frames import Kind
from engine.sandbox.limits import Limits
from engine.sandbox.link import ZygoteLost
from engine.sandbox.worker import ZygoteWorker

_CALL = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
numbers = {numbers}
answer = libc.syscall(*[ctypes.c_long(item) if isinstance(item, int) else item for item in ({call},)])
print("stopped", ctypes.get_errno()) if answer < 0 else print("ESCAPED", answer)
"""

_PYTHON = """
try:
    {statement}
except OSError as error:
    print("stopped", error.errno)
else:
    print("ESCAPED")
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Attack:
    """One attempt to get out."""

    name: str
    code: str
    errnos: tuple[int, ...] = (errno.EPERM, errno.EACCES)
    """Refusals that count; none: only being killed does."""


def _call(name: str, call: str, *errnos: int) -> Attack:
    machine = this_machine()
    numbers = {} if machine is None else machine.numbers
    return Attack(name, _CALL.format(numbers=numbers, call=call), errnos)


_REFUSED = (errno.EPERM, errno.EACCES)


def attacks() -> list[Attack]:
    """What is tried, most important first."""
    parent = "__import__('os').getppid()"
    return [
        Attack("read a file", _PYTHON.format(statement="open('/etc/passwd').read()")),
        Attack("read the environment", _PYTHON.format(statement="open('/proc/self/environ').read()")),
        Attack("write a file", _PYTHON.format(statement="open('/srv/x', 'w').write('x')")),
        Attack("list a directory", _PYTHON.format(statement="__import__('os').listdir('/')")),
        Attack("stat a file", _PYTHON.format(statement="__import__('os').stat('/etc/passwd')")),
        Attack("open a socket", _PYTHON.format(statement="__import__('_socket').socket()")),
        Attack("fork", _PYTHON.format(statement="__import__('os').fork()")),
        Attack("signal its parent", _PYTHON.format(statement="(o := __import__('os')).kill(o.getppid(), 0)")),
        Attack("catch the CPU limit", _PYTHON.format(statement="__import__('signal').signal(24, lambda *_: None)")),
        _call("raise a limit", "numbers['prlimit64'], 0, 7, b'\\xff' * 16, None", *_REFUSED),
        _call("map executable memory", "numbers['mmap'], 0, 4096, 7, 34, -1, 0", *_REFUSED),
        _call("start a program", "numbers['execve'], b'/bin/sh', None, None"),
        _call("trace another process", f"numbers['ptrace'], 16, {parent}, 0, 0"),
        _call("read another process", f"numbers['process_vm_readv'], {parent}, None, 0, None, 0, 0"),
        _call("load a kernel program", "numbers['bpf'], 0, None, 0"),
        _call("go around the filter", "numbers['io_uring_setup'], 8, None"),
        _call("make namespaces", "numbers['unshare'], 0x10000000"),
        _call("mount", "numbers['mount'], b'none', b'/tmp', b'tmpfs', 0, None"),
    ]


async def attack(limits: Limits, omit: Collection[str] = ()) -> list[str]:
    """Runs all attacks on a worker of its own; returns what got through or could not be judged.

    ``omit`` takes layers away, so that a test can see the self-test find that.
    """
    worker = ZygoteWorker(limits, omit, replace_suspicious=False)
    findings: list[str] = []
    try:
        await worker.start()
        for number, attempt in enumerate(attacks()):
            if number:
                await worker.renew()
            outcome = await worker.ask(Kind.PLAY, attempt.code.encode())
            if (finding := _judge(attempt, outcome, limits)) is not None:
                findings.append(f"{attempt.name}: {finding}")
    except ZygoteLost as error:
        findings.append(f"the zygote was lost: {error}")
    finally:
        await worker.stop()
    return findings


def _judge(attack: Attack, outcome: Attempt, limits: Limits) -> str | None:
    """None when the attack was seen to be stopped."""
    if outcome.ending is Ending.SYSTEM_CALL:
        return None if not attack.errnos else "killed, though it should have been refused in words"
    if outcome.answer is None:
        return f"it ended in {outcome.ending.value}, which proves nothing"
    try:
        trace = check(outcome.answer, attack.code, limits)
    except Forged as reason:
        return f"its document was refused: {reason}"
    word, _, number = trace.stdout.strip().partition(" ")
    if word == "stopped" and number.isdigit() and int(number) in attack.errnos:
        return None
    return f"printed {trace.stdout[:80]!r}, outcome {trace.outcome.status} {trace.outcome.message[:200]}"
