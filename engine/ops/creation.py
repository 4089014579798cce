"""Tensors from data."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.observe import state as observing
from engine.ops.declare import composite
from engine.tensor import Tensor, wrap


@composite(at="torch")
def tensor(data: Any, *, dtype: dtypes.dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A new leaf with a copy of ``data``."""
    array = np.array(data)
    if dtype is None:
        dtype = dtypes.defaults.floating if array.dtype.kind == "f" else dtypes.BY_ARRAY[array.dtype]
    made = wrap(array.astype(dtype.array))
    if not array.ndim:
        made._array = made._array[()]
    if requires_grad:
        made._set_requires_grad(True, "Only Tensors of floating point and complex dtype can require gradients")
    if observing.listener is not None:
        observing.listener.created(made, "tensor")
    return made


def ones_like_scalar(self: Tensor) -> Tensor:
    """The gradient a scalar root starts with."""
    return wrap(np.ones(self._array.shape, self._array.dtype) if self._array.ndim else self._array.dtype.type(1))


Tensor._ones = ones_like_scalar  # type: ignore[attr-defined]
