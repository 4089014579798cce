"""Dimensions, lengths and scales of transforms: what is read from a call, and what is refused."""

from __future__ import annotations

import pytest

from engine import torch
from engine.ops.fourier.arguments import scale_of, several


@pytest.mark.parametrize(
    ("norm", "forward", "backward"), [(None, 0, 2), ("backward", 0, 2), ("ortho", 1, 1), ("forward", 2, 0)]
)
def test_a_scale_belongs_to_one_direction(norm: str | None, forward: int, backward: int) -> None:
    assert (scale_of(norm, True), scale_of(norm, False)) == (forward, backward)


def test_lengths_without_dimensions_mean_the_last_ones() -> None:
    assert several(torch.ones(2, 3, 4), (5, -1), None) == ([1, 2], [5, 4])


def test_a_dimension_cannot_be_transformed_twice() -> None:
    with pytest.raises(RuntimeError, match="FFT dims must be unique"):
        several(torch.ones(2, 3), None, (0, -2))
