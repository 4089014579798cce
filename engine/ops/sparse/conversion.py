"""From dense to sparse and back, and between the sparse layouts."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.errors import Explained
from engine.ops.core.declare import Declared, composite, operator
from engine.ops.sparse.arrays import LAYOUT_NAMES, SparseArray
from engine.ops.sparse.blocks import Blocks, in_blocks
from engine.ops.sparse.compressed import Compressed, compress
from engine.ops.sparse.coordinates import Coordinates, from_dense
from engine.ops.sparse.kernels import FAMILY
from engine.placement import sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided
from engine.tensor import Tensor

LAYOUTS = (sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc)
IN_BLOCKS = ("sparse_bsr", "sparse_bsc")


def storing(name: str, grad_fn: str) -> Declared:
    """Declares an operator that stores what is not 0; its gradient comes back in the layout that the tensor had."""
    return operator(
        at="internal",
        name=name,
        grad_fn=grad_fn,
        family=FAMILY,
        formula="x where it is not 0",
        self=lambda grad, self_layout: converted(grad, self_layout),
    )


@storing("_to_sparse", "ToSparseBackward0")
def to_sparse_dims(self: Any, sparse_dim: int) -> Any:
    """Keeps what is not 0, with its coordinates along the first dimensions; the gradient comes back dense."""
    return from_dense(self, sparse_dim)


@storing("_to_sparse", "ToSparseBackward1")
def to_sparse_layout(self: Any, layout: str, dense_dim: int | None = None, block_size: Any = None) -> Any:
    """Keeps what is not 0, with its places; the gradient comes back as the tensor was."""
    if layout in IN_BLOCKS:
        return stored_in_blocks(self, layout, block_size, dense_dim, source_of(self))
    return stored_as(self, layout, dense_dim)


@storing("_to_sparse_csr", "ToSparseCsrBackward0")
def to_rows(self: Any, dense_dim: int | None = None) -> Any:
    """Keeps what is not 0, row by row; the gradient comes back as the tensor was."""
    return stored_as(self, "sparse_csr", dense_dim)


@storing("_to_sparse_csc", "ToSparseCscBackward0")
def to_columns(self: Any, dense_dim: int | None = None) -> Any:
    """Keeps what is not 0, column by column; the gradient comes back as the tensor was."""
    return stored_as(self, "sparse_csc", dense_dim)


@storing("_to_sparse_bsr", "ToSparseBsrBackward0")
def to_row_blocks(self: Any, block_size: Any, dense_dim: int | None = None) -> Any:
    """Keeps blocks of what is not 0, row by row; the gradient comes back as the tensor was."""
    return stored_in_blocks(self, "sparse_bsr", block_size, dense_dim, f"{source_of(self)}_bsr")


@storing("_to_sparse_bsc", "ToSparseBscBackward0")
def to_column_blocks(self: Any, block_size: Any, dense_dim: int | None = None) -> Any:
    """Keeps blocks of what is not 0, column by column; the gradient comes back as the tensor was."""
    return stored_in_blocks(self, "sparse_bsc", block_size, dense_dim, f"{source_of(self)}_bsc")


@operator(
    at="internal",
    name="_to_dense",
    family=FAMILY,
    formula="x, with its zeros",
    saves="self",
    self=lambda grad, self, _masked_grad: dense_back(grad, self, _masked_grad),
)
def whole(self: Any, _masked_grad: bool | None = None) -> Any:
    """Writes every stored value at its place among zeros; only the stored places get a gradient."""
    return self.dense()


def source_of(array: Any) -> str:
    """How PyTorch's conversions begin their names: by what is converted."""
    return "sparse_compressed_to_sparse" if isinstance(array, SparseArray) else "dense_to_sparse"


def stored_in_blocks(array: Any, layout: str, size: Any, dense_dim: int | None, function: str) -> Blocks:
    """Any array in blocks; ``function`` is what PyTorch's errors call the conversion.

    Raises:
        RuntimeError, IndexError: blocks of no size or one that does not divide the matrix, or other blocks than there are.
    """
    size = tuple(size) if isinstance(size, list | tuple) else (size, size)
    if len(size) != 2:
        raise RuntimeError(f"{function}: blocksize needs to be a tuple of size 2, but got {len(size)}")
    if min(size) <= 0:
        raise RuntimeError(f"{function}: blocksize needs to be positive, but got {list(size)}")
    if isinstance(array, Blocks) and array.block_size != size:
        raise RuntimeError(
            f"to_{layout}: conversion from {LAYOUT_NAMES[array.layout.name]} to {LAYOUT_NAMES[layout]} with blocksize changed from "
            f"{list(array.block_size)} to {list(size)} is not supported"
        )
    if array.ndim - (dense_dim or 0) < 2:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-array.ndim}, {array.ndim - 1}], but got {-2 - (dense_dim or 0)})"
        )
    if array.ndim > 2 + (dense_dim or 0) and not isinstance(array, SparseArray):
        raise RuntimeError(f"a batch of {layout} matrices is not supported here: convert one matrix at a time")
    if array.shape[0] % size[0] or array.shape[1] % size[1]:
        raise RuntimeError(
            f"{function}: tensor sparse size ({array.shape[0]},{array.shape[1]}) must be divisible by given blocksize "
            f"({size[0]},{size[1]})"
        )
    return in_blocks(array, size, by_row=layout == "sparse_bsr")


def stored_as(array: Any, layout: str, dense_dim: int | None = None) -> SparseArray:
    """Any array in one of the sparse layouts; of rows or columns, the last ``dense_dim`` dimensions are stored whole.

    Raises:
        RuntimeError, IndexError: rows or columns of something that is no matrix.
    """
    if isinstance(array, Blocks) and layout != "sparse_coo":
        raise RuntimeError(
            f"sparse_compressed_to_{layout}: expected SparseCsr or SparseCsc layout but got {LAYOUT_NAMES[array.layout.name]}"
        )
    places = array.coordinates() if isinstance(array, SparseArray) else array
    if layout == "sparse_coo":
        return places if isinstance(places, Coordinates) else from_dense(places, places.ndim)
    if isinstance(places, Coordinates) and places.sparse_dim != 2:
        raise RuntimeError(
            f"coo_to_{layout}: conversion from Sparse to {LAYOUT_NAMES[layout]} for input tensors with sparse_dim()!=2 is not "
            "supported"
        )
    if array.ndim < 2:
        raise IndexError(
            f"select(): index 1 out of range for tensor of size {[*array.shape, 1]} at dimension 1. Only the rows or columns of a "
            "matrix can be compressed."
        )
    if dense_dim is not None and not 0 <= dense_dim <= array.ndim - 2:
        raise RuntimeError(
            f"dense_to_{layout}: dense_dim argument must be in [0,{array.ndim - 2}] range, but {dense_dim} is given"
        )
    if array.ndim > 2 + (dense_dim or 0) and not isinstance(array, SparseArray):
        raise RuntimeError(f"a batch of {layout} matrices is not supported here: convert one matrix at a time")
    if not isinstance(places, Coordinates):
        places = from_dense(places, 2)
    return compress(places, by_row=layout == "sparse_csr")


def converted(grad: Tensor, layout: Any) -> Tensor:
    """The gradient in the layout that the tensor had."""
    if layout is strided:
        return grad.to_dense()
    return grad if grad.layout is layout else to_sparse(grad, layout=layout)


def dense_back(grad: Tensor, source: Tensor, masked: bool | None) -> Tensor:
    """What a sparse tensor gets back for its dense form: the gradient at its places, or (unmasked) wherever it is not 0."""
    array = source._array
    if isinstance(array, Blocks):
        return grad.sparse_mask(source)
    if isinstance(array, Compressed):
        return converted(to_sparse(grad) if masked is False else grad.sparse_mask(source), source.layout)
    if masked is False:
        return to_sparse(grad, array.sparse_dim)
    return grad.sparse_mask(source.coalesce())


@composite(at="tensor")
def to_sparse(
    self: Tensor,
    sparse_dim: int | None = None,
    *,
    layout: Any = None,
    blocksize: Any = None,
    dense_dim: int | None = None,
) -> Tensor:
    """A sparse copy, every dimension counted unless ``sparse_dim`` or ``dense_dim`` says how many; itself, if it is so already.

    Raises:
        RuntimeError: a number of dimensions that the tensor does not have, or a size of blocks without them or the reverse.
    """
    dense, wanted = isinstance(self._array, np.ndarray | np.generic), sparse_coo if layout is None else layout
    if wanted not in LAYOUTS:
        raise RuntimeError(f"to_sparse: layout {wanted} is not supported here, only the sparse ones")
    if (blocksize is None) is (wanted.name in IN_BLOCKS):
        given = "without blocksize argument given" if blocksize is None else "with blocksize argument given"
        raise RuntimeError(
            f"{'dense_to_sparse' if dense else 'to_sparse'}: conversion from {LAYOUT_NAMES[self.layout.name]} to "
            f"{LAYOUT_NAMES[wanted.name]} {given} is not supported"
        )
    if dense_dim is not None and dense:
        sparse_dim = self.ndim - dense_dim
    if sparse_dim is not None and wanted is sparse_coo:
        if not 0 <= sparse_dim <= self.ndim:
            raise RuntimeError(
                f"dense_to_sparse: sparse_dim argument must be in [0,{self.ndim}] range, but {sparse_dim} is given"
            )
        if not sparse_dim and self.ndim:
            raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
        return to_sparse_dims(self, sparse_dim) if dense else self
    if self.layout is wanted and blocksize is None:
        return self
    return to_sparse_layout(self, wanted.name, dense_dim, blocksize)


@composite(at="tensor")
def to_sparse_coo(self: Tensor) -> Tensor:
    """A copy with coordinates."""
    return to_sparse(self)


@composite(at="tensor")
def to_sparse_csr(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """A copy with compressed rows."""
    return self if self.layout is sparse_csr else to_rows(self, dense_dim)


@composite(at="tensor")
def to_sparse_csc(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """A copy with compressed columns."""
    return self if self.layout is sparse_csc else to_columns(self, dense_dim)


@composite(at="tensor")
def to_sparse_bsr(self: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """A copy with compressed rows of blocks."""
    return to_row_blocks(self, blocksize, dense_dim)


@composite(at="tensor")
def to_sparse_bsc(self: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
    """A copy with compressed columns of blocks."""
    return to_column_blocks(self, blocksize, dense_dim)


@composite(at="tensor")
def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """All elements; a dense tensor is itself, in another type if one is asked for.

    Raises:
        RuntimeError: another type for a sparse tensor.
    """
    if not isinstance(self._array, SparseArray):
        return self if dtype is None else self.to(dtype)
    if dtype is not None:
        raise RuntimeError(
            Explained("dtype argument is not supported by sparse_to_dense", "Convert afterwards, with .to(dtype).")
        )
    return whole(self, masked_grad)
