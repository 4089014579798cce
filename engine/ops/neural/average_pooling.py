"""Average pooling over windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.neural.flat_slopes import zeros_for
from engine.ops.neural.pooling_shapes import Pool, pooled_shapes, saved_sizes, unlike_rows
from engine.ops.neural.windows import Sizes, kernel_places, padded
from engine.tensor import Tensor


def divisors(pool: Pool, count_include_pad: bool, divisor_override: int | None) -> Any:
    """By what each window's sum is divided.

    Raises:
        RuntimeError: a divisor of zero.
    """
    if divisor_override is not None:
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        return np.asarray(divisor_override, np.float64)
    total = np.ones(())
    for n, k, s, p, o in zip(pool.spatial, pool.kernel, pool.stride, pool.padding, pool.out, strict=True):
        start = np.arange(o) * s - p
        end = np.minimum(start + k, n + p)
        length = end - start if count_include_pad else np.minimum(end, n) - np.maximum(start, 0)
        total = np.multiply.outer(total, length)
    return total


def average(array: Any, pool: Pool, count_include_pad: bool, divisor_override: int | None) -> Any:
    """The mean of each window."""
    around = padded(array, pool.margins())
    total: Any = None
    for _, slices in kernel_places(pool.kernel, pool.stride, (1,) * pool.dims, pool.out):
        seen = around[(..., *slices)]
        if total is None:
            total = seen.astype(np.float32) if array.dtype.itemsize < 4 and array.dtype.kind != "i" else seen.copy()
        else:
            total += seen
    by = divisors(pool, count_include_pad, divisor_override)
    return (
        np.trunc(total / by).astype(array.dtype)
        if array.dtype.kind in "iu"
        else (total / by.astype(total.dtype)).astype(array.dtype)
    )


def spread(grad: Any, shape: Sizes, pool: Pool, count_include_pad: bool, divisor_override: int | None) -> Any:
    """The gradient of each window in equal parts at its elements."""
    part = grad / divisors(pool, count_include_pad, divisor_override).astype(grad.dtype)
    margins = pool.margins()
    lead = shape[: len(shape) - pool.dims]
    total = np.zeros(lead + tuple(n + a + b for n, (a, b) in zip(pool.spatial, margins, strict=True)), grad.dtype)
    for _, slices in kernel_places(pool.kernel, pool.stride, (1,) * pool.dims, pool.out):
        total[(..., *slices)] += part
    return total[(..., *(slice(a, a + n) for n, (a, _) in zip(pool.spatial, margins, strict=True)))].copy()


def over_windows(dims: int) -> Any:
    """Declares the averaging operator of so many dimensions, with its gradient."""
    function = f"avg_pool{dims}d"

    @operator(
        order="images",
        at="internal",
        name=f"{function}_backward",
        grad_output=lambda grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: forward(
            grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        ),
        self=lambda self: zeros_for(self),
    )
    def back(
        grad_output: Any,
        self: Any,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: int | None,
    ) -> Any:
        """The derivative of the function that its name begins with, as an operation of its own."""
        pool = Pool(function, self.shape, dims, kernel_size, stride, padding, 1, ceil_mode)
        return spread(grad_output, self.shape, pool, count_include_pad, divisor_override)

    @operator(
        at="internal",
        order="images",
        name=f"{function}_windows",
        grad_fn=f"AvgPool{dims}DBackward0",
        formula="mean over each window",
        saves="ceil_mode count_include_pad divisor_override kernel_size padding self stride",
        self=lambda grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: back(
            grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        ),
    )
    def forward(
        self: Any,
        kernel_size: Any,
        stride: Any = (),
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Any:
        """Averages each window; every element in it gets an equal part of the window's gradient."""
        pool = Pool(function, self.shape, dims, kernel_size, stride, padding, 1, ceil_mode)
        return average(self, pool, count_include_pad, divisor_override)

    return forward


def pooling(dims: int) -> Any:
    """Declares ``avg_pool2d`` or ``avg_pool3d`` as people call it."""
    function, windows = f"avg_pool{dims}d", over_windows(dims)

    @composite(at="functional", name=function, explanation=pooled_shapes(dims), parsed=True)
    def pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Any:
        kernel, step, pad, _ = saved_sizes(dims, function, kernel_size, stride, padding, 1)
        return windows(input, kernel, step, pad, ceil_mode, count_include_pad, divisor_override)

    return pool


avg_pool2d, avg_pool3d = pooling(2), pooling(3)


@composite(at="torch functional")
def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """(N, C, L) → (N, C, L'): two-dimensional pooling over one row.

    Raises:
        RuntimeError: neither (N, C, L) nor (C, L).
    """
    if input.ndim not in (2, 3):
        raise RuntimeError(unlike_rows("avg_pool1d", input.ndim))
    kernel, step, pad, _ = saved_sizes(1, "avg_pool1d", kernel_size, stride, padding, 1)
    row = input.unsqueeze(-2)
    return avg_pool2d(row, (1, *kernel), (1, *(step or kernel)), (0, *pad), ceil_mode, count_include_pad).squeeze(-2)
