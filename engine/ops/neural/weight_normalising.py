"""Weight normalisation (Salimans & Kingma 2016): a weight is a direction with a length of its own.

PyTorch has one node for it where the kept dimension is the first or the last, and a composition for any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.core.recorded import recorded
from engine.ops.linear_algebra.matrix_norms import norm_except_dim
from engine.summation import carrier, in_turn, lanes_summed
from engine.tensor import Tensor


def others_summed(product: Any, dim: int) -> Any:
    """The sum over all dimensions but ``dim``, which is the first or the last, kept for broadcasting."""
    kept = [1] * len(product.shape)
    kept[dim] = product.shape[dim]
    if dim == 0:
        return product.reshape(product.shape[0], -1).sum(1).reshape(kept)
    return product.reshape(-1, product.shape[-1]).sum(0).reshape(kept)


def direction_slope(grad: Any, v: Any, g: Any, norms: Any, dim: int) -> Any:
    """``g/‖v‖ · (grad − v · Σ(grad · v)/‖v‖²)``, as PyTorch's kernel multiplies it out."""
    stretch = g / norms
    return stretch * grad - stretch * others_summed(grad * v, dim) / (norms * norms) * v


def recorded_direction_slope(grad: Any, v: Any, g: Any, norms: Any, dim: int) -> Any:
    """The same as PyTorch composes it when the gradient gets a graph."""
    return g / norms * (grad - v * (others_viewed(grad * v, dim) / (norms * norms)))


def others_viewed(product: Tensor, dim: int) -> Tensor:
    """`others_summed` in views."""
    kept = [1] * product.ndim
    kept[dim] = product.shape[dim]
    if dim == 0:
        return product.view(product.shape[0], -1).sum(1).view(kept)
    return product.view(-1, product.shape[-1]).sum(0).view(kept)


def fused_in_turn(columns: Any) -> Any:
    """The squares of each column of (count, width) of float32, each added to the sum before it is rounded."""
    total = np.zeros(columns.shape[1], np.float32)
    for row in columns.astype(np.float64):
        total = (row * row + total).astype(np.float32)
    return total


@operator(
    at="torch",
    formula="v · g / ‖v‖",
    outputs="result0 result1",
    nondifferentiable=(1,),
    undefined_gradients=True,
    saves="dim g result1 v",
    v=lambda grads, v, g, result1, dim: direction_slope(grads[0], v, g, result1, dim),
    g=lambda grads, v, result1, dim: others_summed(grads[0] * v, dim) / result1,
)
def _weight_norm_interface(v: Any, g: Any, dim: int = 0) -> Any:
    """Gives every slice of ``v`` along ``dim`` the length that ``g`` names."""
    rows = v.reshape(v.shape[0], -1) if dim == 0 else np.moveaxis(v, -1, 0).reshape(v.shape[-1], -1)
    wide = np.ascontiguousarray(rows).astype(carrier(v.dtype))
    if wide.dtype != np.float32:
        sums = in_turn(np.ascontiguousarray((wide * wide).T))
    else:
        sums = lanes_summed(wide * wide) if dim == 0 else fused_in_turn(wide.T)
    kept = [1] * v.ndim
    kept[dim] = len(rows)
    norms = np.sqrt(sums).reshape(kept)
    return (v * (g / norms)).astype(v.dtype), norms.astype(v.dtype)


recorded(
    _weight_norm_interface,
    v=lambda grads, v, g, result1, dim: recorded_direction_slope(grads[0], v, g, result1, dim),
    g=lambda grads, v, result1, dim: others_viewed(grads[0] * v, dim) / result1,
)


@composite(at="torch")
def _weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """Each vector of ``v`` along all dimensions but ``dim``, with the length ``g``."""
    if dim in (0, v.ndim - 1):
        weight: Tensor = _weight_norm_interface(v.contiguous(), g.contiguous(), dim)[0]
        return weight
    return v * (g / norm_except_dim(v, 2, dim))
