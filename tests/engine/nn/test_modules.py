"""Modules: text, state, output, gradients, hooks and refusals are those real PyTorch recorded."""

from __future__ import annotations

import pytest

from tests.oracle.golden import golden
from tests.oracle.module_cases import FAMILIES, PROGRAMS
from tests.oracle.training import assert_as_recorded, places

RECORDED = golden("modules")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", PROGRAMS, ids=places(FAMILIES))
def test_modules_do_what_they_did_on_pytorch(program: str) -> None:
    assert_as_recorded(program, RECORDED[program])


def test_every_recorded_program_is_still_asked_for() -> None:
    assert RECORDED.keys() == PROGRAMS.keys()
