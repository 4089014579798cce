"""Quantiles, composed as PyTorch does: sort, gather the two neighbours of each rank, go part of the way between."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops.core.declare import composite
from engine.ops.core.dimension import wrapped
from engine.ops.selection.masks import where
from engine.tensor import Tensor, wrap

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def checked_q(self: Tensor, q: Any, name: str, interpolation: str) -> Tensor:
    """The wanted quantiles as a tensor of the input's dtype.

    Raises:
        RuntimeError: in PyTorch's words, for anything it does not take.
    """
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    if not self._array.size:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if self.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q:g}")
        return wrap(self._array.dtype.type(q))
    if q.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if q.dtype is not self.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if not bool(((q._array >= 0) & (q._array <= 1)).all()):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    return q


def rows_in_order(self: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """Sorted along the last dimension, the other dimensions as the result will have them."""
    axis = None if dim is None else wrapped(dim, self.ndim)
    if axis is None:
        values = self.flatten().sort()[0]
    else:
        moved = self if axis == self.ndim - 1 else self.unsqueeze(-1).transpose(axis, -1)
        values = moved.sort()[0]
    if axis is None or not self.ndim:
        lead = [1] * self.ndim if keepdim else []
    else:
        lead = list(self.shape)
        lead[axis : axis + 1] = [1] if keepdim else []
    return values.view(*lead, values.shape[-1])


def interpolated(self: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, ignore_nan: bool) -> Tensor:
    """Both functions; they differ in whether nan counts."""
    wanted = checked_q(self, q, "nanquantile" if ignore_nan else "quantile", interpolation)
    values = rows_in_order(self, dim, keepdim)
    places = wanted if wanted.ndim else wanted.unsqueeze(0)
    if ignore_nan:
        ranks = places * (values.isnan().logical_not().sum(-1, True) - 1)
        ranks = ranks.masked_fill(ranks < 0, 0)
    else:
        last = values.shape[-1] - 1
        ranks = where(values.isnan().any(-1, True), last, places * last)
    adjust = {"lower": "floor", "higher": "ceil", "nearest": "round"}.get(interpolation)
    if adjust is not None:
        ranks = getattr(ranks, adjust)()
    below = ranks.long()
    result = values.gather(-1, below)
    if adjust is None:
        weights = wrap(np.full_like(ranks._array, 0.5)) if interpolation == "midpoint" else ranks - below
        result.lerp_(values.gather(-1, ranks.ceil().long()), weights)
    if not wanted.ndim:
        return result.squeeze_(-1)
    return result.unsqueeze_(0).transpose_(0, -1).squeeze_(-1)


@composite()
def quantile(
    self: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The value below which a share ``q`` of the elements lies; the two neighbours share the gradient."""
    return interpolated(self, q, dim, keepdim, interpolation, ignore_nan=False)


@composite()
def nanquantile(
    self: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """`quantile` of what is a number."""
    return interpolated(self, q, dim, keepdim, interpolation, ignore_nan=True)
