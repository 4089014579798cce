"""From what the kernel says of a dead child to the reason that a person is told."""

from __future__ import annotations

import signal

import pytest

from engine.sandbox.ending import EXIT_BROKEN, EXIT_OUT_OF_MEMORY, Ending, Usage, without_answer
from engine.sandbox.limits import Limits
from engine.trace.outcome.ending import LIMITS as WORDS

LIMITS = Limits(cpu_seconds=2)


@pytest.mark.parametrize(
    ("status", "seconds", "expected"),
    [
        (signal.SIGSYS, 0.1, Ending.SYSTEM_CALL),
        (signal.SIGSYS | 0x80, 0.1, Ending.SYSTEM_CALL),
        (signal.SIGXCPU, 2.0, Ending.CPU),
        (signal.SIGKILL, 2.99, Ending.CPU),
        (signal.SIGKILL, 0.5, Ending.MEMORY),
        (EXIT_OUT_OF_MEMORY << 8, 0.5, Ending.MEMORY),
        (signal.SIGSEGV, 0.1, Ending.CRASH),
        (signal.SIGABRT, 0.1, Ending.CRASH),
        (0, 0.1, Ending.EXIT),
        (3 << 8, 0.1, Ending.EXIT),
        (EXIT_BROKEN << 8, 0.1, Ending.FAULT),
    ],
)
def test_what_the_kernel_says_becomes_a_reason(status: int, seconds: float, expected: Ending) -> None:
    assert without_answer(Usage(status, seconds, 0), LIMITS) is expected


@pytest.mark.parametrize("ending", [ending for ending in Ending if ending is not Ending.ANSWERED])
def test_every_ending_has_words_for_the_person(ending: Ending) -> None:
    message, advice = WORDS[ending.value]
    assert message.endswith(".")
    assert advice.endswith(".")


def test_what_depends_on_the_machine_is_not_deterministic() -> None:
    assert not any(
        ending.deterministic for ending in (Ending.WALL, Ending.CPU, Ending.MEMORY, Ending.CRASH, Ending.FAULT)
    )
