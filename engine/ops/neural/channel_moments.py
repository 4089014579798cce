"""Mean and spread of each channel, rounded as PyTorch's kernels for batch normalisation round them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.neural.standardising import statistics
from engine.ops.pointwise.precision import fused, is_half

MANY_ROWS = 256
"""From so many rows on, adding one after the other takes longer than its last digit is worth."""


def few_rows(input: Any) -> bool:
    """Whether it is a matrix of float32 with few rows, which PyTorch adds up row after row in float32."""
    return input.ndim == 2 and input.dtype == np.float32 and 0 < len(input) < MANY_ROWS


def centre_and_squares(input: Any) -> tuple[Any, Any]:
    """Each channel's mean, and the sum of the squared distances from it; both kept for broadcasting.

    PyTorch adds up float32 in two ways: a matrix row by row in float32, with squares fused to what is there; anything else in
    float64, the distances from the rounded mean.
    """
    if few_rows(input):
        total = np.add.accumulate(input)[-1]
        mean = total / np.float32(len(input))
        squares = np.zeros_like(mean)
        for row in input - mean:
            squares = fused(row, row, squares)
        return mean[None], squares[None]
    axes = tuple(d for d in range(input.ndim) if d != 1)
    mean, var = statistics(input, axes)
    if input.dtype == np.float32:
        return mean, np.square(input - mean.astype(np.float32)).sum(axes, np.float64, keepdims=True)
    return mean, var * per_channel(input)


def per_channel(input: Any) -> int:
    """How many numbers share a channel."""
    return int(input.size // max(input.shape[1], 1))


def moments(input: Any, eps: float, kept: Any = None) -> tuple[Any, Any]:
    """Mean and 1/√(variance + ε) of each channel, the variance of float32 input rounded on the way to float64.

    ``kept`` is the dtype in which those of halves are kept.
    """
    mean, squares = centre_and_squares(input)
    if is_half(input):
        return moments_of_halves(input, mean, squares, eps, input.dtype if kept is None else kept)
    var = squares / squares.dtype.type(per_channel(input))
    return mean, 1 / np.sqrt((var.astype(np.float32).astype(np.float64) if input.dtype == np.float32 else var) + eps)


def moments_of_halves(input: Any, mean: Any, squares: Any, eps: float, kind: Any) -> tuple[Any, Any]:
    """PyTorch keeps mean and 1/√(variance + ε) in the dtype of the weight, and computes in float32 in between."""
    wide, count = np.float32, np.float32(per_channel(input))
    var = squares.astype(wide) / count
    if kind.kind == "V":  # bfloat16 keeps the sum and the variance, too
        var = (squares.astype(kind).astype(wide) / count).astype(kind).astype(wide)
    return mean.astype(kind).astype(wide), (1 / np.sqrt(var + wide(eps))).astype(kind).astype(wide)
