"""Optimizers and schedules take real PyTorch's steps, and show its text and state."""

from __future__ import annotations

import pytest

from tests.oracle.golden import golden
from tests.oracle.optimizer_cases import FAMILIES, PROGRAMS
from tests.oracle.training import assert_as_recorded, places

RECORDED = golden("optimizers")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", PROGRAMS, ids=places(FAMILIES))
def test_steps_text_and_state_are_those_of_pytorch(program: str) -> None:
    assert_as_recorded(program, RECORDED[program])


def test_every_recorded_program_is_still_asked_for() -> None:
    assert RECORDED.keys() == PROGRAMS.keys()
