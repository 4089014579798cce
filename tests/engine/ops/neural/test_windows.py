"""Contents of windows come back to where they were taken from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

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
