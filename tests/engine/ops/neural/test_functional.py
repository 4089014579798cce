"""Every function of ``torch.nn.functional``: value, graph and gradients are those real PyTorch recorded."""

from __future__ import annotations

import pytest

from tests.oracle.functional_cases import FAMILIES, PROGRAMS
from tests.oracle.golden import golden
from tests.oracle.training import assert_as_recorded, places

RECORDED = golden("functional")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", PROGRAMS, ids=places(FAMILIES))
def test_functions_give_what_they_gave_on_pytorch(program: str) -> None:
    assert_as_recorded(program, RECORDED[program])


def test_every_recorded_program_is_still_asked_for() -> None:
    assert RECORDED.keys() == PROGRAMS.keys()
