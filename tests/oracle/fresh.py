"""New random programs on every run: how many of them may differ from PyTorch before that means something.

A few kinds of difference are known and left (`not_like_pytorch.IN_RANDOM_PROGRAMS`), so now and then a new program shows one. A run
must not fail for such luck, and has to fail as soon as the engine gets worse: how often programs differ was measured on many
(`MEASURED`), and what one run shows is held against that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

LUCK = 1e-6
"""How often a run of an engine as good as the measured one may fail."""
DOUBT = 0.01
"""How often the true rate may be above the one that `highest_rate` takes it for."""


class Measured(NamedTuple):
    """Fresh programs that nobody had looked at: how many differed, of how many."""

    differed: int
    of: int


MEASURED = {"semantics": Measured(1, 6_992), "wide": Measured(13, 2_999)}


def at_most(count: int, mean: float) -> float:
    """The chance of no more than ``count`` events where ``mean`` are expected (Poisson's distribution)."""
    return sum(math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(count + 1))


def highest_rate(measured: Measured) -> float:
    """The highest share of differing programs that does not make the measurement a rare one (`DOUBT`)."""
    low, high = 1e-9, measured.differed * 2.0 + 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(measured.differed, middle) > DOUBT else (low, middle)
    return high / measured.of


def allowed(programs: int, measured: Measured) -> int:
    """The most programs of a run that may differ: an engine as good as the measured one shows more once in a million runs."""
    expected = programs * highest_rate(measured)
    return next(count for count in range(programs) if 1 - at_most(count, expected) < LUCK)


def found(compare: Callable[[], list[str]]) -> list[str]:
    """The differences of one program; where the engine itself breaks, that is one."""
    try:
        return compare()
    except Exception as error:
        return [f"the engine broke: {type(error).__name__}: {error}"]


def verdict(kind: str, first: int, programs: int, reports: list[str]) -> tuple[bool, Any]:
    """Whether so few differ that it is luck, and what to say: how many, and all of them."""
    most = allowed(programs, MEASURED[kind])
    told = f"BACKPLAY_SEED={first}: {len(reports)} of {programs} {kind} programs differ, at most {most} may"
    return len(reports) <= most, "\n\n".join([told, *reports])
