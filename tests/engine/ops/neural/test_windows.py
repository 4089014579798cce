"""Contents of windows come back to where they were taken from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine import torch
from engine.ops.neural import windows

GEOMETRIES = [
    ((1, 2, 6, 6), (3, 3), (1, 1), (0, 0), (1, 1)),
    ((2, 1, 7, 5), (2, 3), (2, 1), (1, 0), (1, 2)),
    ((3, 2, 9), (3,), (2,), (1,), (2,)),
    ((1, 1, 4, 4, 4), (2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1)),
]


@pytest.mark.parametrize(("shape", "kernel", "stride", "padding", "dilation"), GEOMETRIES)
def test_few_windows_add_up_as_many_do(
    shape: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = windows.output_sizes(shape[2:], kernel, stride, padding, dilation)
    columns = np.random.default_rng(0).normal(size=shape[:2] + kernel + out).astype(np.float32)
    few = windows.gathered_back(columns, shape, kernel, stride, padding, dilation)
    monkeypatch.setattr(windows, "FEW", 0)
    many = windows.gathered_back(columns, shape, kernel, stride, padding, dilation)
    assert few.shape == shape
    assert np.array_equal(few, many)


def test_zeros_that_come_back_have_no_sign() -> None:
    columns = np.full((1, 1, 1, 1, 2, 2), -0.0, np.float32)
    back = windows.gathered_back(columns, (1, 1, 2, 2), (1, 1), (1, 1), (0, 0), (1, 1))
    assert not np.signbit(back).any()


@pytest.mark.parametrize(("shape", "kernel", "stride", "padding", "dilation"), GEOMETRIES)
def test_each_window_shows_its_part_of_an_array_that_lies_otherwise(
    shape: Any, kernel: Any, stride: Any, padding: Any, dilation: Any
) -> None:
    array = np.asfortranarray(np.random.default_rng(0).normal(size=shape))
    out = windows.output_sizes(shape[2:], kernel, stride, (0,) * len(kernel), dilation)
    seen = windows.windows(array, kernel, stride, dilation, out)
    for place, slices in windows.kernel_places(kernel, stride, dilation, out):
        index: tuple[Any, ...] = (slice(None), slice(None), *place)
        under: tuple[Any, ...] = (..., *slices)
        assert np.array_equal(seen[index], array[under])


BY_NAME: dict[str, Callable[[Any, Any], Any]] = {
    "im2col": lambda aten, x: aten.im2col(x, [2, 2], [1, 1], [0, 0], [1, 1]),
    "col2im": lambda aten, x: aten.col2im(x.reshape(1, 4, 9), [4, 4], [2, 2], [1, 1], [0, 0], [1, 1]),
    "convolution": lambda aten, x: aten.convolution(x, x, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1),
    "transposed": lambda aten, x: aten.convolution(x, x, None, [1, 1], [1, 1], [1, 1], True, [0, 0], 1),
    "convolution_backward": lambda aten, x: aten.convolution_backward(
        x, x, x[..., :1, :1], None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, False]
    )[1],
    "max_pool2d_with_indices": lambda aten, x: aten.max_pool2d_with_indices(x, [2, 2], [2, 2], [0, 0], [1, 1], False)[
        0
    ],
    "avg_pool2d": lambda aten, x: aten.avg_pool2d(x, [2, 2], [2, 2], [0, 0]),
}
"""Operators by their names in ``torch.ops``, which take lists there."""
MADE = {
    "im2col": ((1, 4, 25), 1750.0),
    "col2im": ((1, 1, 4, 4), 630.0),
    "convolution": ((1, 1, 3, 3), 99120.0),
    "transposed": ((1, 1, 9, 9), 338300.0),
    "convolution_backward": ((1, 1, 1, 1), 14910.0),
    "max_pool2d_with_indices": ((1, 1, 3, 3), 189.0),
    "avg_pool2d": ((1, 1, 3, 3), 157.5),
}
"""Shape and sum of what PyTorch 2.13.0 makes of 36 numbers."""


@pytest.mark.parametrize("name", BY_NAME)
def test_an_operator_called_by_its_name_takes_sizes_as_lists(name: str) -> None:
    made = BY_NAME[name](torch.ops.aten, torch.arange(36.0).reshape(1, 1, 6, 6))
    assert (made.shape, made.sum().item()) == MADE[name]
