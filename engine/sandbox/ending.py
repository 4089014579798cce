"""How a run came to its end, as the kernel and the host see it. `engine.trace.outcome.ending` has the words for each."""

from __future__ import annotations

import dataclasses
import enum
import signal

from engine.sandbox.limits import Limits


class Ending(enum.Enum):
    """Why a run is over. The value is what the counters call it, and the limit in the document."""

    ANSWERED = "answered"
    """It sent its document."""
    WALL = "wall"
    CPU = "cpu"
    MEMORY = "memory"
    SIZE = "size"
    """It announced a document longer than the host reads."""
    SYSTEM_CALL = "system_call"
    """It made a call that no snippet makes; the kernel ended it with SIGSYS."""
    CRASH = "crash"
    """The interpreter died: a stack too deep in C, a broken bytecode."""
    EXIT = "exit"
    """The process ended itself without an answer (``os._exit``)."""
    FAULT = "fault"
    """Our own part of the process failed: the snippet ran, and it could not be told what it did."""
    FORGED = "forged"
    """It sent something that is no trace of its snippet."""

    @property
    def deterministic(self) -> bool:
        """Whether the same snippet ends like this every time, whatever the machine is busy with."""
        return self in (Ending.ANSWERED, Ending.SYSTEM_CALL, Ending.EXIT, Ending.FORGED)

    @property
    def suspicious(self) -> bool:
        """Whether the zygote is replaced afterwards, in case something reached it."""
        return self in (Ending.SYSTEM_CALL, Ending.CRASH)


EXIT_OUT_OF_MEMORY = 97
"""Exit code of a child that had no memory left to write its answer."""
EXIT_BROKEN = 98
"""Exit code of a child that failed outside the snippet: a fault of ours."""


@dataclasses.dataclass(frozen=True, slots=True)
class Usage:
    """What the kernel says about a child that has ended."""

    wait_status: int
    """As ``wait4`` gives it."""
    cpu_seconds: float
    peak_bytes: int

    @property
    def signal_number(self) -> int:
        """The signal that ended it; 0 if none."""
        return self.wait_status & 0x7F

    @property
    def exit_code(self) -> int:
        """What it ended with, when no signal ended it."""
        return self.wait_status >> 8


def without_answer(usage: Usage, limits: Limits) -> Ending:
    """The reason, for a child that ended by itself or by the kernel before it had answered."""
    number = usage.signal_number
    if number == signal.SIGSYS:
        return Ending.SYSTEM_CALL
    if number == signal.SIGXCPU or (number == signal.SIGKILL and usage.cpu_seconds >= limits.cpu_seconds):
        return Ending.CPU
    if number == signal.SIGKILL or (number == 0 and usage.exit_code == EXIT_OUT_OF_MEMORY):
        return Ending.MEMORY
    if number == 0:
        return Ending.FAULT if usage.exit_code == EXIT_BROKEN else Ending.EXIT
    return Ending.CRASH
