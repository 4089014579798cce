"""Vectors in matrices: cross and dot products, and tables of powers."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import wrapped
from engine.ops.core.refused_dtypes import require_one_dtype
from engine.tensor import Tensor
from engine.warned import warn_once


@operator(
    order="rows",
    formula="x × y",
    at="linalg",
    name="cross",
    grad_fn="LinalgCrossBackward0",
    saves="dim other self",
    self=lambda grad, other, dim: linalg_cross(other.conj(), grad, dim=dim),
    other=lambda grad, self, dim: linalg_cross(grad, self.conj(), dim=dim),
)
def linalg_cross(self: Any, other: Any, *, dim: int = -1) -> Any:
    """The vector that stands upright on both; each side's gradient is again a cross product.

    Raises:
        RuntimeError: dimensions of another length than three, or two dtypes.
    """
    require_one_dtype(self, other)
    if self.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = wrapped(dim, self.ndim)
    if self.shape[axis] != 3 or other.shape[axis] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {self.shape[axis]} and {other.shape[axis]}"
        )
    one, two = (np.moveaxis(a, axis, 0) for a in np.broadcast_arrays(self, other))
    parts = [one[i] * two[j] - one[j] * two[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(parts, axis)


@composite()
def cross(self: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product along ``dim``, or along the first dimension of length three.

    Raises:
        RuntimeError: there is none.
    """
    if dim is None:
        warn_once(
            "Using torch.cross without specifying the dim arg is deprecated.\n"
            "Please either pass the dim explicitly or simply use torch.linalg.cross.\n"
            "The default value of dim will change to agree with that of linalg.cross in a future release.",
            stacklevel=3,
        )
        dim = next((d for d, length in enumerate(self.shape) if length == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return linalg_cross(self, other, dim=dim)


@composite(at="linalg")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Dot products of the vectors along ``dim``."""
    if x.ndim == y.ndim == 1:
        return x.vdot(y)
    return (x.conj() * y).sum(dim)


@composite(at="linalg", name="vander")
def linalg_vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Each number's powers 1, x, x², … as a row.

    Raises:
        RuntimeError: fewer than two powers asked for, or half precision.
    """
    if (x.dtype.is_floating_point and x.dtype.itemsize < 4) or x.dtype.name == "bool":
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {scalar_type(x._array)}"
        )
    count = x.shape[-1] if N is None and x.ndim else N if N is not None else 1
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    x = x if x.ndim else x.unsqueeze(-1)
    powers = x.unsqueeze(-1).expand(*x.shape, count - 1).cumprod(-1)
    return TABLES["torch"]["cat"]([powers.new_ones(*x.shape, 1), powers], -1)


@composite(at="torch")
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Each number's powers as a row, the highest first unless ``increasing``.

    Raises:
        RuntimeError: not one-dimensional, or a negative count.
    """
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    table = x.new_empty((x.shape[0], count), dtype=TABLES["torch"]["result_type"](x, 1))
    if count > 0:
        table.select(1, 0).fill_(1)
    if count > 1:
        table[:, 1:].copy_(x.unsqueeze(1))
        rest = table[:, 1:]
        rest.copy_(rest.cumprod(1))
    return table if increasing else table.flip([1])


@composite(at="linalg", name="diagonal")
def linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of the matrices in the last two dimensions: a view."""
    return A.diagonal(offset, dim1, dim2)
