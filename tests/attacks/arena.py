"""Where attacks are tried: the real pool, and snippets that say what became of them."""

from __future__ import annotations

import errno
import textwrap

import msgspec

from engine.sandbox.ending import Ending
from engine.sandbox.host import Pool, RunResult
from engine.trace.document import Trace
from tests.attacks.calls import number

PROBE = "print(6 * 7)"


class Fight:
    """What became of one attack."""

    def __init__(self, result: RunResult) -> None:
        self.result = result
        self.trace = msgspec.json.decode(result.document, type=Trace)

    @property
    def said(self) -> str:
        """What the attack printed."""
        return self.trace.stdout.strip()

    @property
    def ending(self) -> Ending:
        return self.result.ending

    @property
    def error(self) -> str | None:
        return self.trace.outcome.error

    @property
    def limit(self) -> str | None:
        return self.trace.outcome.limit

    @property
    def line(self) -> int | None:
        """The line that the document calls guilty."""
        return None if self.trace.outcome.span is None else self.trace.outcome.span.line


class Arena:
    """Runs attacks one after another, and makes sure after each that the next person is served."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    async def fight(self, code: str) -> Fight:
        """Plays an attack, then an honest snippet, which must come out right."""
        fight = Fight(await self.pool.run(textwrap.dedent(code), deadline=120))
        honest = Fight(await self.pool.run(PROBE, deadline=120))
        assert honest.said == "42", f"after the attack, an honest run gave {honest.trace.outcome}"
        return fight

    async def tried(self, statement: str) -> str:
        """What a Python statement is told: an errno's name, or what it got."""
        fight = await self.fight(attempt(statement))
        assert fight.ending is Ending.ANSWERED, f"it ended in {fight.ending}"
        assert fight.trace.outcome.status == "ok", fight.trace.outcome
        return fight.said

    async def called(self, name: str, *arguments: str) -> str:
        """What a raw system call is told: an errno's name, or what it got; ``SIGSYS`` when it was killed."""
        fight = await self.fight(system_call(name, *arguments))
        if fight.ending is Ending.SYSTEM_CALL:
            assert fight.said == "calling"
            return "SIGSYS"
        assert fight.ending is Ending.ANSWERED, f"it ended in {fight.ending}"
        return fight.said.removeprefix("calling\n")


def attempt(statement: str) -> str:
    """A snippet that tries an expression and prints how it went."""
    return (
        "import errno, os, sys\n"
        "try:\n"
        f"    got = {statement}\n"
        "except OSError as error:\n"
        "    print(errno.errorcode[error.errno])\n"
        "else:\n"
        "    print('GOT', repr(got)[:200])\n"
    )


def system_call(name: str, *arguments: str) -> str:
    """A snippet that makes a raw system call; arguments are Python expressions."""
    return (
        "import ctypes, errno, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "libc.syscall.restype = ctypes.c_long\n"
        "room = ctypes.create_string_buffer(4096)\n"
        "def long(value):\n"
        "    return ctypes.c_long(value) if isinstance(value, int) else value\n"
        f"arguments = [{', '.join(arguments)}]\n"
        "print('calling')\n"
        f"got = libc.syscall({number(name)}, *map(long, arguments))\n"
        "print(errno.errorcode[ctypes.get_errno()] if got < 0 else f'GOT {got}')\n"
    )


EPERM = errno.errorcode[errno.EPERM]
