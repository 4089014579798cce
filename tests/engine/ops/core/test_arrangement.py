"""In which order results lie in memory: the rules; that they are PyTorch's is asked in ``tests/engine/ops/test_recorded_programs.py``."""

from __future__ import annotations

import numpy as np

from engine.ops.core.arrangement import axes_by_step, in_rows, preserving


def test_the_first_operand_that_can_tell_two_axes_apart_decides() -> None:
    assert axes_by_step((2, 3), [[1, 2], [3, 1]]) == [1, 0]
    assert axes_by_step((2, 3), [[0, 1], [3, 1]]) == [0, 1]


def test_a_copy_of_what_has_gaps_is_dense_in_the_nearest_order() -> None:
    spread = np.broadcast_to(np.arange(6.0).reshape(3, 2).T[:, None], (2, 4, 3))
    assert preserving(spread).transpose(2, 0, 1).flags.c_contiguous or preserving(spread).flags.forc


def test_rows_are_rows_in_dimensions_of_length_one_too() -> None:
    assert in_rows(np.zeros((4, 1, 2)).transpose(2, 1, 0), ()).strides == (32, 32, 8)
