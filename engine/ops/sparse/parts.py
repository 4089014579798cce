"""What a sparse tensor consists of: places, values, how many there are, and bringing them in order."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from engine.errors import Explained
from engine.ops.core.declare import composite, operator, view
from engine.ops.sparse.arrays import LAYOUT_NAMES, SparseArray
from engine.ops.sparse.blocks import Blocks
from engine.ops.sparse.compressed import Compressed
from engine.ops.sparse.coordinates import Coordinates
from engine.ops.sparse.kernels import FAMILY
from engine.ops.sparse.tensor import around
from engine.storage import shared_counter
from engine.tensor import Tensor, wrap

Kind = TypeVar("Kind", bound=SparseArray)


def require(tensor: Tensor, function: str, expected: str, kind: type[Kind]) -> Kind:
    """The tensor's array, if it is of this layout.

    Raises:
        RuntimeError: PyTorch's "expected … but got".
    """
    array = tensor._array
    if isinstance(array, kind):
        return array
    got = LAYOUT_NAMES[tensor.layout.name]
    remedy = "Call .to_sparse() first." if got == "Strided" else "Convert it first."
    raise RuntimeError(Explained(f"{function} expected {expected} tensor layout but got {got}", remedy))


COORDINATES = "sparse coordinate"


@operator(at="internal", name="_coalesce", family=FAMILY, formula="x", self=lambda grad: grad)
def coalesced_once(self: Any) -> Any:
    """Adds up values at one place and puts the places in order; the gradient passes through unchanged."""
    return self.coalesce()


@composite(at="tensor")
def coalesce(self: Tensor) -> Tensor:
    """Every place once, in order; itself, if that is so already."""
    return self if require(self, "coalesce", COORDINATES, Coordinates).coalesced else coalesced_once(self)


@composite(at="tensor")
def is_coalesced(self: Tensor) -> bool:
    """Whether every place occurs once, in order, as far as it is known."""
    return require(self, "is_coalesced", COORDINATES, Coordinates).coalesced


@composite(at="tensor")
def _coalesced_(self: Tensor, coalesced: bool) -> Tensor:
    """Says so, unchecked."""
    require(self, "_coalesced_", COORDINATES, Coordinates).coalesced = coalesced
    return self


@view(
    at="internal",
    name="values",
    formula="the stored values",
    saves="self",
    self=lambda grad, self: placed(grad, self),
)
def stored_values(self: Any) -> Any:
    """The values without their places; each gets its own gradient back."""
    return self.values


stored_values.family = FAMILY


def placed(grad: Tensor, source: Tensor) -> Tensor:
    """The gradient of the values at the places of the tensor that they came from."""
    return around(source._array.with_values(grad._array))


@composite(at="tensor")
def values(self: Tensor) -> Tensor:
    """The stored values (nnz, …).

    Raises:
        RuntimeError: an uncoalesced tensor, or a dense one.
    """
    if not isinstance(self._array, SparseArray):
        raise RuntimeError(
            Explained("values expected sparse tensor layout but got Strided", "Call .to_sparse() first.")
        )
    in_order(self, "values")
    return stored_values(self)


def in_order(self: Tensor, what: str) -> None:
    """Raises RuntimeError: for a tensor in which a place may occur twice."""
    if isinstance(self._array, Coordinates) and not self._array.coalesced:
        raise RuntimeError(f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first")


@composite(at="tensor")
def indices(self: Tensor) -> Tensor:
    """The places (sparse_dim, nnz), a column each.

    Raises:
        RuntimeError: an uncoalesced tensor, or one of another layout.
    """
    array = require(self, "indices", COORDINATES, Coordinates)
    in_order(self, "indices")
    return beside(self, array.indices)


def beside(self: Tensor, array: Any) -> Tensor:
    """A part of the storage as a tensor outside the graph, which shares the version of the whole."""
    part = wrap(array)
    part._counter = shared_counter(self)
    return part


@composite(at="tensor")
def _values(self: Tensor) -> Tensor:
    """The values, in whatever order, outside the graph."""
    return beside(self, require(self, "_values", "sparse", SparseArray).values)


@composite(at="tensor")
def _indices(self: Tensor) -> Tensor:
    """The places, in whatever order."""
    return beside(self, require(self, "_indices", COORDINATES, Coordinates).indices)


@composite(at="tensor")
def _nnz(self: Tensor) -> int:
    """How many values are stored.

    Raises:
        NotImplementedError: for a dense tensor.
    """
    if not isinstance(self._array, SparseArray):
        raise NotImplementedError(
            Explained(
                "Could not run 'aten::_nnz' with arguments from the 'CPU' backend.",
                "A dense tensor stores all elements: use .numel().",
            )
        )
    return self._array.nnz


@composite(at="tensor")
def sparse_dim(self: Tensor) -> int:
    """How many dimensions are counted by places; 0 for a dense tensor."""
    return self._array.sparse_dim if isinstance(self._array, SparseArray) else 0


@composite(at="tensor")
def dense_dim(self: Tensor) -> int:
    """How many dimensions are stored whole."""
    return self._array.ndim - sparse_dim(self)


def compressed_part(name: str, by_row: bool, part: str) -> None:
    """Declares one of ``crow_indices``, ``col_indices``, ``ccol_indices`` and ``row_indices``."""
    expected = f"sparse {'row' if by_row else 'column'} compressed"

    def read(self: Tensor) -> Tensor:
        array = self._array if isinstance(self._array, Blocks) else require(self, name, expected, Compressed)
        if array.by_row is not by_row:
            raise RuntimeError(f"{name} expected {expected} tensor layout but got {LAYOUT_NAMES[self.layout.name]}")
        return beside(self, getattr(array, part))

    read.__name__ = name
    read.__doc__ = {
        "starts": "Where each line begins among the values.", "others": "The place of each value in its line.",
    }[part]  # fmt: skip
    composite(at="tensor")(read)


for _name, _by_row, _part in (
    ("crow_indices", True, "starts"),
    ("col_indices", True, "others"),
    ("ccol_indices", False, "starts"),
    ("row_indices", False, "others"),
):
    compressed_part(_name, _by_row, _part)


@composite(at="tensor")
def sparse_resize_(self: Tensor, size: Any, sparse_dim: int, dense_dim: int) -> Tensor:
    """Another size, in place; what is stored stays where it is.

    Raises:
        RuntimeError: numbers of dimensions that do not add up.
    """
    array = require(self, "sparse_resize_", COORDINATES, Coordinates)
    shape = tuple(size)
    if len(shape) != sparse_dim + dense_dim:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(shape)}, sparse_dim = {sparse_dim}, "
            f"dense_dim = {dense_dim}"
        )
    if array.nnz and (sparse_dim != array.sparse_dim or shape[sparse_dim:] != array.dense_shape):
        raise RuntimeError(
            "sparse_resize_: a tensor with stored values keeps its numbers of sparse and dense dimensions"
        )
    if not array.nnz:
        array.indices = np.zeros((sparse_dim, 0), np.int64)
        array.values = np.zeros((0, *shape[sparse_dim:]), array.dtype)
    array.shape = shape
    return self
