"""Copies in another order, or with a part blanked out: `flip`, `roll`, `rot90`, `tril`, `triu`."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from engine.ops.core.arrangement import as_first
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import whole, wrapped, wrapped_all
from engine.tensor import Tensor


@operator(order="first", at="internal", name="flip", formula="x backwards", self=lambda grad, dims: grad.flip(dims))
def flip_dims(self: Any, dims: Any) -> Any:
    """Reverses the order along dimensions; the gradient is reversed back."""
    return np.flip(self, wrapped_all(dims, np.ndim(self)) if np.ndim(self) else ()).copy()


@composite()
def flip(self: Tensor, *dims: Any) -> Tensor:
    """Reverses the order along dimensions.

    Raises:
        TypeError: no dimensions are named.
    """
    if not dims:
        raise TypeError('flip() missing 1 required positional arguments: "dims"')
    return flip_dims(self, tuple(dims[0]) if len(dims) == 1 and isinstance(dims[0], list | tuple) else dims)


@composite()
def fliplr(self: Tensor) -> Tensor:
    """Reverses left and right: the second dimension.

    Raises:
        RuntimeError: fewer than two dimensions.
    """
    if self._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(self, 1)


@composite()
def flipud(self: Tensor) -> Tensor:
    """Reverses up and down: the first dimension.

    Raises:
        RuntimeError: no dimension.
    """
    if self._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(self, 0)


@operator(
    order="rolled",
    at="internal",
    name="roll",
    formula="x shifted",
    self=lambda grad, shifts, dims: grad.roll(tuple(-s for s in reversed(shifts)), tuple(reversed(dims))),
)
def roll_dims(self: Any, shifts: Any, dims: Any = ()) -> Any:
    """Shifts along dimensions; what falls out at one end comes in at the other, and the gradient is shifted back.

    Raises:
        RuntimeError: other numbers of shifts and dimensions.
        IndexError: no dimensions.
    """
    if len(dims) != len(shifts) and not (len(shifts) == 1 and not dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not dims:
        return np.roll(np.asarray(self), shifts[0])
    if not np.ndim(self):
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    return np.roll(self, shifts, tuple(wrapped(d, np.ndim(self)) for d in dims))


@composite()
def roll(self: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """Shifts along dimensions, round the end.

    Raises:
        RuntimeError: no shifts.
    """
    as_tuple = [tuple(map(index, v)) if isinstance(v, list | tuple) else (index(v),) for v in (shifts, dims)]
    if not as_tuple[0]:
        raise RuntimeError("`shifts` required")
    return roll_dims(self, *as_tuple)


@operator(at="internal", name="rot90", formula="x turned", self=lambda grad, k, dims: grad.rot90(-k, dims))
def turn(self: Any, k: int, dims: Any) -> Any:
    """Turns a plane by quarter turns; the gradient is turned back.

    Raises:
        RuntimeError: not two different dimensions.
    """
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if np.ndim(self) < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {np.ndim(self)}")
    if dims[0] == dims[1]:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    first, second = (rotation_dim(d, np.ndim(self)) for d in dims)
    quarter = k % 4
    if quarter == 1:
        return as_first(np.flip(self, second), (self,)).swapaxes(first, second)
    if quarter == 2:
        return np.flip(self, (first, second)).copy("K")
    if quarter == 3:
        return as_first(np.flip(self, first), (self,)).swapaxes(first, second)
    return np.array(self)


def rotation_dim(dim: int, ndim: int) -> int:
    """A dimension of the plane, counted from the front.

    Raises:
        IndexError: when it is out of range.
    """
    if not -ndim <= dim < ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")
    return dim % ndim


@composite()
def rot90(self: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """Turns the plane of two dimensions by ``k`` quarter turns."""
    return turn(self, k, tuple(dims))


def triangle(name: str, self: Any, diagonal: int, keep: Any) -> Any:
    """One triangle of each matrix, the rest zero.

    Raises:
        RuntimeError: no matrix.
        TypeError: a diagonal that is no whole number.
    """
    if np.ndim(self) < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    try:
        number = whole(diagonal, "diagonal")
    except TypeError:
        raise TypeError(
            f"{name}(): argument 'diagonal' (position 1) must be int, not {type(diagonal).__name__}"
        ) from None
    return np.ascontiguousarray(keep(self, number))


@operator(inplace=True, formula="lower x", self=lambda grad, diagonal: grad.tril(diagonal))
def tril(self: Any, diagonal: int = 0) -> Any:
    """Keeps the lower triangle of each matrix; the rest becomes zero and gets zero gradient."""
    return triangle("tril", self, diagonal, np.tril)


@operator(inplace=True, formula="upper x", self=lambda grad, diagonal: grad.triu(diagonal))
def triu(self: Any, diagonal: int = 0) -> Any:
    """Keeps the upper triangle of each matrix; the rest becomes zero and gets zero gradient."""
    return triangle("triu", self, diagonal, np.triu)
