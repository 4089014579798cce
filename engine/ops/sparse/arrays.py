"""What a sparse tensor holds instead of an array of all its elements: places, and the values that stand there.

`SparseArray` looks like a numpy array as far as the engine asks what it is (shape, dtype, size), and refuses to be computed with as one:
every kernel that may get it is declared for it (`engine.ops.sparse.kernels`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from engine import placement
from engine.errors import Explained

if TYPE_CHECKING:
    from engine.ops.sparse.coordinates import Coordinates

LAYOUT_NAMES = {
    "strided": "Strided", "sparse_coo": "Sparse", "sparse_csr": "SparseCsr", "sparse_csc": "SparseCsc", "sparse_bsr": "SparseBsr",
    "sparse_bsc": "SparseBsc",
}  # fmt: skip
"""What PyTorch's messages call each layout."""
NOT_AN_ARRAY = "can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first."


class SparseArray:
    """The common half: values along one dimension of places, and the shape of what they stand in.

    Attributes:
        values: (nnz, …) numbers, one row for each place.
        shape: of the whole tensor.
    """

    as_tensor: ClassVar[Callable[[Any], Any]]
    """A tensor around it (`engine.ops.sparse.tensor`, which stands above this file)."""
    plus: ClassVar[Callable[[Any, Any], Any]]
    """The sum of a sparse array and any other (`engine.ops.sparse.sums`)."""
    layout: placement.layout
    backend: ClassVar[str]
    """Whose kernels PyTorch looks for: a word of its error messages."""
    flags = SimpleNamespace(c_contiguous=True, writeable=True)
    values: np.ndarray
    shape: tuple[int, ...]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the values."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """Dimensions of the whole tensor."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Elements of the whole tensor, those that are not stored included."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes per value."""
        return self.values.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """All 0: nothing can be found by counting."""
        return (0,) * self.ndim

    @property
    def nnz(self) -> int:
        """How many places there are."""
        raise NotImplementedError

    @property
    def sparse_dim(self) -> int:
        """How many dimensions the places count."""
        raise NotImplementedError

    def coordinates(self) -> Coordinates:
        """The same places and values with coordinates; itself, if it has them."""
        raise NotImplementedError

    def dense(self) -> np.ndarray:
        """All elements; values at one place add up."""
        raise NotImplementedError

    def with_values(self, values: np.ndarray) -> Self:
        """The same places with other values, in the order of these."""
        raise NotImplementedError

    def lies_in_order(self) -> bool:
        """Whether its values fill their memory row by row."""
        return bool(self.values.flags.c_contiguous)

    def alias(self) -> Self:
        """Another on the same values: what is stored later in the one is not in the other."""
        return self.with_values(self.values)

    def become(self, other: Any) -> None:
        """Takes over another's places and values, for in-place writes."""
        raise NotImplementedError

    def copy(self) -> Self:
        """One that shares no values."""
        return self.with_values(self.values.copy())

    def astype(self, dtype: Any, copy: bool = True) -> Self:
        """The same places, values in another type."""
        return self.with_values(self.values.astype(dtype, copy=copy))

    def item(self) -> Any:
        """The one element."""
        return self.dense().item()

    def __getitem__(self, key: tuple[()]) -> Self:
        return self  # what is asked of an array without dimensions, which is a number elsewhere

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(value, SparseArray):
            raise self.not_for_sparse("fill_.Scalar")
        self.become(value)

    def __add__(self, other: Any) -> Any:
        """Gradients for one place add up as bare arrays too, whatever their layouts."""
        return type(self).plus(self, other)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(NOT_AN_ARRAY)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.may_share_memory:
            return False
        if function is np.shape:
            return self.shape
        raise self.not_for_sparse(function.__name__)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if ufunc is np.add and method == "__call__" and not options:
            return type(self).plus(*inputs)
        raise self.not_for_sparse(ufunc.__name__)

    def not_for_sparse(self, name: str) -> NotImplementedError:
        """PyTorch's refusal to run a kernel that it has for dense tensors only, called ``name`` (``exp``, ``gt.Scalar``)."""
        return NotImplementedError(
            Explained(
                f"Could not run 'aten::{name}' with arguments from the '{self.backend}' backend.",
                "It has no form for sparse tensors, in PyTorch neither: take .to_dense() first, or apply it to the .values() of a "
                "coalesced tensor.",
            )
        )
