"""What all normalisations share: each subtracts a mean, divides by a standard deviation, scales and shifts.

They differ in which elements share the statistics. Every element reaches every output of its group twice: directly
and through the statistics, which is what the gradients say.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.tensor import Tensor


def statistics(x: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Mean and biased variance over ``axes`` (kept), computed in float64."""
    wide = x.astype(np.float64)
    count = np.float64(math.prod(x.shape[axis] for axis in axes))  # numpy's own mean warns of nothing to average
    mean = wide.sum(axes, keepdims=True) / count
    return mean, np.square(wide - mean).sum(axes, keepdims=True) / count


def standardised_slope(grad: Tensor, normalised: Tensor, inverse_std: Tensor, dims: list[int]) -> Tensor:
    """The gradient through (x − mean) / std: what is left without its mean and its part along ``normalised``."""
    along = (grad * normalised).mean(dims, keepdim=True)
    return (grad - grad.mean(dims, keepdim=True) - normalised * along) * inverse_std


def channel_shape(ndim: int) -> tuple[int, ...]:
    """The shape in which one number per channel meets (N, C, …)."""
    return (1, -1, *(1,) * (ndim - 2))
