"""In which order results lie in memory: as PyTorch's iterators and copies have it (see `tests.oracle.program_outcome`)."""

from __future__ import annotations

import numpy as np
import pytest

from engine.ops.core.arrangement import axes_by_step, in_rows, preserving
from tests.oracle.shape_answers import assert_as_recorded, programs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", programs("arrangement"))
def test_results_lie_as_in_pytorch(program: str) -> None:
    assert_as_recorded(program)


def test_the_first_operand_that_can_tell_two_axes_apart_decides() -> None:
    assert axes_by_step((2, 3), [[1, 2], [3, 1]]) == [1, 0]
    assert axes_by_step((2, 3), [[0, 1], [3, 1]]) == [0, 1]


def test_a_copy_of_what_has_gaps_is_dense_in_the_nearest_order() -> None:
    spread = np.broadcast_to(np.arange(6.0).reshape(3, 2).T[:, None], (2, 4, 3))
    assert preserving(spread).transpose(2, 0, 1).flags.c_contiguous or preserving(spread).flags.forc


def test_rows_are_rows_in_dimensions_of_length_one_too() -> None:
    assert in_rows(np.zeros((4, 1, 2)).transpose(2, 1, 0), ()).strides == (32, 32, 8)
