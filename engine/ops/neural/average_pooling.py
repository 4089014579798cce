"""Average pooling over windows, and over as many regions as asked for (adaptive)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.neural.flat_slopes import zeros_for
from engine.ops.neural.pooling_shapes import Pool, pool_sizes, pooled_shapes, saved_sizes, unlike_rows
from engine.ops.neural.resampling import regions
from engine.ops.neural.whole_sizes import whole_sizes
from engine.ops.neural.windows import Sizes, kernel_places, padded
from engine.summation import carrier, in_turn
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
        grad_fn=f"AvgPool{dims}DBackwardBackward0",
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
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 'self' "
            "(while checking arguments for avg_pool1d)"
        )
    kernel, step, pad, _ = saved_sizes(1, "avg_pool1d", kernel_size, stride, padding, 1)
    row = input.unsqueeze(-2)
    return avg_pool2d(row, (1, *kernel), (1, *(step or kernel)), (0, *pad), ceil_mode, count_include_pad).squeeze(-2)


# ── adaptive ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def boxes(shape: Sizes, out: Sizes) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each place of the output, and the region that it averages."""
    along_each = [[slice(*ends) for ends in regions(n, o)] for n, o in zip(shape, out, strict=True)]
    yield from zip(np.ndindex(*out), itertools.product(*along_each), strict=True)


def shared_out(total: Any, region: tuple[slice, ...]) -> Any:
    """A region's total by its size, one dimension after the other as PyTorch's kernel divides."""
    for part in region:
        total = total / total.dtype.type(part.stop - part.start)
    return total


def adaptive(dims: int) -> Any:
    """Declares ``adaptive_avg_pool2d`` or ``…3d`` with its gradient."""

    @operator(
        at="internal",
        name=f"adaptive_avg_pool{dims}d_backward",
        grad_fn=f"AdaptiveAvgPool{dims}DBackwardBackward0",
        grad_output=lambda grad, grad_output_shape: forward(grad, tuple(grad_output_shape[-dims:])),
        self=lambda self: zeros_for(self),
    )
    def back(grad_output: Any, self: Any) -> Any:
        """The derivative of the function that its name begins with, as an operation of its own."""
        shares, slopes = np.asarray(grad_output), np.zeros(self.shape, self.dtype)
        for place, region in boxes(self.shape[-dims:], grad_output.shape[-dims:]):
            share = shared_out(shares[(..., *place)], region)
            slopes[(..., *region)] += share[(..., *[None] * dims)]
        return slopes

    @operator(
        at="internal",
        order="images",
        name=f"adaptive_avg_pool{dims}d",
        grad_fn=f"AdaptiveAvgPool{dims}DBackward0",
        formula="mean over each region",
        saves="self",
        self=lambda grad, self: back(grad, self),
    )
    def forward(self: Any, output_size: Sizes) -> Any:
        """Cuts the input into regions and averages each; a region's elements share its gradient equally."""
        lead = self.shape[:-dims]
        wide: Any = self.astype(carrier(self.dtype))
        means: Any = np.empty((*lead, *output_size), self.dtype)
        for place, region in boxes(self.shape[-dims:], output_size):
            part = wide[(..., *region)]
            # Not -1: a batch of nothing has no elements to count by.
            elements = part.reshape(math.prod(lead), math.prod(part.shape[-dims:]))
            means[(..., *place)] = shared_out(in_turn(elements.T).reshape(lead), region)
        return means

    return forward


def full_output_size(function: str, input: Tensor, output_size: Any, dims: int) -> Sizes:
    """``3`` or ``(3, None)`` as one number per dimension; among several, None keeps the input's.

    Raises:
        RuntimeError, ValueError: a wrong number of sizes or of input dimensions.
        TypeError: sizes that are no whole numbers.
    """
    if dims > 1 and not isinstance(output_size, int):
        if input.ndim <= len(output_size):
            raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
        kept = input.shape[-len(output_size) :]
        output_size = [n if size is None else size for size, n in zip(output_size, kept, strict=False)]
    sizes = whole_sizes(output_size, dims, function, "output_size", 2)
    if dims == 1 and input.ndim not in (2, 3):
        raise RuntimeError(unlike_rows(function, input.ndim))
    if len(sizes) != dims:
        if dims == 1:
            raise RuntimeError(f"{function}() argument 'output_size' should contain one int (got {len(sizes)})")
        if "max" in function:
            raise RuntimeError(f"{function}(): internal error: output_size.size() must be {dims}")
        raise RuntimeError(f"{function}: output_size must be {dims}")
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"{function}(): Expected {dims + 1}D or {dims + 2}D tensor, but got {list(input.shape)}")
    if min(sizes) < 0:
        asked = (1, *sizes) if dims == 1 else sizes  # a row is an image of one line
        if "max" in function:
            shape = [*input.shape[:-dims], *asked]
            raise RuntimeError(f"Trying to create tensor with negative dimension {min(sizes)}: {shape}")
        given = ", ".join(map(str, asked[:2])) + "".join(f",{n}" for n in asked[2:])
        raise RuntimeError(
            f"adaptive_avg_pool{len(asked)}d: elements of output_size must be greater than or equal to 0 "
            f"but received {{{given}}}"
        )
    return sizes


def adaptive_pooling(dims: int) -> Any:
    """Declares ``adaptive_avg_pool2d`` or ``…3d`` as people call it."""
    function, by_regions = f"adaptive_avg_pool{dims}d", adaptive(dims)

    @composite(at="functional", name=function, explanation=pooled_shapes(dims, "*output_size"))
    def pool(input: Tensor, output_size: Any) -> Any:
        size = full_output_size(function, input, output_size, dims)
        if size == (1,) * dims:
            return input.mean(tuple(range(-1, -1 - dims, -1)), keepdim=True)
        return by_regions(input, size)

    return pool


adaptive_avg_pool2d, adaptive_avg_pool3d = adaptive_pooling(2), adaptive_pooling(3)


@composite(at="torch functional")
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """(N, C, L) → (N, C, output_size)."""
    size = full_output_size("adaptive_avg_pool1d", input, output_size, 1)
    row: Tensor = adaptive_avg_pool2d(input.unsqueeze(-2), (1, *size))
    return row.squeeze(-2)


# ── power averages ───────────────────────────────────────────────────────────────────────────────────────────────────


def power_pooling(dims: int) -> None:
    """Declares ``lp_pool1d``, ``lp_pool2d`` or ``lp_pool3d``."""
    function, average_pool = f"lp_pool{dims}d", (avg_pool1d, avg_pool2d, avg_pool3d)[dims - 1]

    @composite(at="functional", name=function, explanation=pooled_shapes(dims), parsed=True)
    def pool(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
        # The p-norm of each window: averages of powers, scaled back to sums, and the root.
        out = average_pool(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
        area = math.prod(pool_sizes(kernel_size, dims, function, "kernel_size"))
        return (out.sign() * out.abs().relu()).mul(area).pow(1.0 / norm_type)


for dims in (1, 2, 3):
    power_pooling(dims)
