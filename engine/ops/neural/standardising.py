"""What all normalisations share: each subtracts a mean, divides by a standard deviation, scales and shifts.

They differ in which elements share the statistics. Every element reaches every output of its group twice: directly
and through the statistics, which is what the gradients say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.tensor import Tensor


def statistics(x: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Mean and biased variance over ``axes`` (kept), computed in float64."""
    wide = x.astype(np.float64)
    count = np.float64(math.prod(x.shape[axis] for axis in axes))  # numpy's own mean warns of nothing to average
    mean = wide.sum(axes, keepdims=True) / count
    return mean, np.square(wide - mean).sum(axes, keepdims=True) / count


def standardised_slope(grad: Tensor, x: Tensor, mean: Tensor, inverse_std: Tensor, dims: list[int]) -> Tensor:
    """The gradient through ``(x − mean) / std``: what is left without its mean and its part along x.

    Written as ``grad/std + slope·x + shift``, in the order of PyTorch's kernels, so that what cancels there cancels here:
    the gradient of a sum is zero exactly.
    """
    count = math.prod(x.shape[dim] for dim in dims)
    total, along = grad.sum(dims, keepdim=True), (grad * x).sum(dims, keepdim=True)
    slope = (total * mean - along) * (inverse_std * inverse_std * inverse_std) / count
    shift = -slope * mean - total * inverse_std / count
    return grad * inverse_std + x * slope + shift


def channel_shape(ndim: int) -> tuple[int, ...]:
    """The shape in which one number per channel meets (N, C, …)."""
    return (1, -1, *(1,) * (ndim - 2))


def check_dtypes(kernel: str, input: Any, parameters: Sequence[Any]) -> None:
    """A normalisation takes floats, and parameters of the input's dtype, or float32 ones for half-precision input.

    Which of the two is meant, the first parameter tells.

    Raises:
        NotImplementedError: whole numbers, in the words of PyTorch's ``kernel``.
        RuntimeError: several dtypes.
    """
    given = [p for p in parameters if p is not None]
    mixed = bool(given) and given[0].dtype != input.dtype
    if input.dtype.kind not in "fV" and (not mixed or kernel == "batch_norm"):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_type(input)}'")
    if mixed and any(p.dtype != np.float32 for p in given):
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if mixed and input.dtype.itemsize != 2:
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    unlike = next((p for p in given if p.dtype != given[0].dtype), None)
    if unlike is not None:
        raise RuntimeError(f"expected scalar type {scalar_type(input)} but found {scalar_type(unlike)}")
