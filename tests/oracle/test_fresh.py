"""How many new random programs may differ: luck does not fail a run, an engine that got worse does."""

from __future__ import annotations

import math

import pytest

from tests.oracle.fresh import LUCK, MEASURED, Measured, allowed, at_most, found, highest_rate, verdict


@pytest.mark.parametrize("kind", MEASURED)
def test_luck_fails_less_than_one_run_in_a_million(kind: str) -> None:
    measured = MEASURED[kind]
    exact = measured.differed / measured.of
    for programs in (250, 500):
        assert exact <= highest_rate(measured)
        beyond = sum(
            math.comb(programs, k) * exact**k * (1 - exact) ** (programs - k)
            for k in range(allowed(programs, measured) + 1, programs + 1)
        )
        assert beyond < LUCK


@pytest.mark.parametrize("kind", MEASURED)
def test_an_engine_that_differs_in_one_program_of_eight_is_told_so(kind: str) -> None:
    programs = 250
    most = allowed(programs, MEASURED[kind])
    assert at_most(most, programs / 8) < 0.01
    passed, told = verdict(kind, 7, programs, ["seed 8"] * (most + 1))
    assert not passed
    assert told.startswith(f"BACKPLAY_SEED=7: {most + 1} of {programs}")
    assert verdict(kind, 7, programs, ["seed 8"] * most)[0]


def test_the_more_was_measured_the_less_is_allowed() -> None:
    assert allowed(500, Measured(0, 300)) > allowed(500, Measured(0, 3_000)) > allowed(500, Measured(0, 300_000))


def test_an_engine_that_breaks_on_a_program_differs_there() -> None:
    def breaks() -> list[str]:
        raise ZeroDivisionError("by nothing")

    assert found(breaks) == ["the engine broke: ZeroDivisionError: by nothing"]
    assert found(list) == []
