"""From a vector to a diagonal and back: `diag`, `diag_embed`, `diagflat`."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import wrapped
from engine.ops.layout.slicing import diagonal_of
from engine.tensor import Tensor


@operator(formula="diag x", self=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))
def diag_embed(self: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Puts the last dimension on a diagonal of new matrices; the gradient is read off that diagonal.

    Raises:
        IndexError: no dimensions.
        RuntimeError: one dimension named twice.
    """
    array = np.asarray(self)
    if not array.ndim:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got -2)")
    first, second = wrapped(dim1, array.ndim + 1), wrapped(dim2, array.ndim + 1)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    size = array.shape[-1] + abs(offset)
    shape = list(array.shape[:-1])
    for dim in sorted((first, second)):
        shape.insert(dim, size)
    full = np.zeros(shape, array.dtype)
    if full.size and array.size:
        diagonal_of(full, offset, first, second)[...] = array
    return full


@composite()
def diag(self: Tensor, diagonal: int = 0) -> Tensor:
    """A matrix with this vector on a diagonal, or the diagonal of this matrix.

    Raises:
        RuntimeError: for more than two dimensions, or none.
    """
    ndim = self._array.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    if ndim == 1:
        return diag_embed(self, diagonal)
    from engine.ops.layout.view_copies import diagonal_copy  # here, since importing torch should be quick

    return diagonal_copy(self, diagonal)


@composite()
def diagflat(self: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all elements on a diagonal."""
    return diag(self.contiguous().view(-1), offset)
