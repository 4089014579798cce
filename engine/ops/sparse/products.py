"""Matrix products with a sparse factor: only what is stored takes part."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import composite, operator
from engine.ops.core.signature import Number
from engine.ops.products.matrix import times
from engine.ops.sparse.arrays import SparseArray
from engine.ops.sparse.compressed import Compressed, compress
from engine.ops.sparse.coordinates import Coordinates, coordinates_of
from engine.ops.sparse.kernels import FAMILY, sparse_kernel
from engine.ops.sparse.lines import Lines
from engine.tensor import Tensor


@operator(
    at="internal",
    name="_sparse_addmm",
    family=FAMILY,
    formula="β·C + α·A·B",
    saves="alpha beta mat1 mat2 mat2_sym_sizes mat2_sym_strides",
    self=lambda grad, beta: times(grad, beta),
    mat1=lambda grad, mat1, mat2, alpha: at_stored_places(grad, mat1, mat2, alpha),
    mat2=lambda grad, mat1, alpha: times(mat1.t().conj().mm(grad), alpha),
)
def sparse_addmm(self: Any, mat1: Any, mat2: Any, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """A sparse matrix times a dense one, plus something; the sparse one gets a gradient at its stored places only."""
    return product_added(self, mat1, mat2, beta, alpha)


@operator(
    at="internal",
    name="_sparse_sparse_matmul",
    family=FAMILY,
    formula="A · B",
    saves="other self",
    self=lambda grad, self, other: zero_elsewhere(sparse_sparse_matmul(grad, other.conj().t()), self),
    other=lambda grad, self, other: zero_elsewhere(sparse_sparse_matmul(self.conj().t(), grad), other),
)
def sparse_sparse_matmul(self: Any, other: Any) -> Any:
    """The product of two sparse matrices; each gets a gradient at its stored places only."""
    return product_of_two(self, other)


@operator(at="internal", name="_sparse_mask_of_product", family=FAMILY, formula="x at the mask's places")
def zero_elsewhere(self: Any, mask: Any) -> Any:
    """A gradient with zeros where the mask stores nothing, as PyTorch masks a product of two sparse matrices; it has no derivative."""
    places, kept = self.coordinates().coalesce(), mask.coordinates().coalesce()
    values = np.where(np.isin(places.places(), kept.places()), places.values, 0).astype(places.dtype)
    masked = places.with_values(values)
    return compress(masked, self.by_row) if isinstance(self, Compressed) else masked


def at_stored_places(grad: Tensor, mat1: Tensor, mat2: Tensor, alpha: Any) -> Tensor:
    """The first factor's gradient, at its own places."""
    return times(grad.mm(mat2.t().conj()), alpha).sparse_mask(mat1.coalesce() if mat1.is_sparse else mat1)


def product_added(start: Any, mat1: Any, mat2: Any, beta: Any, alpha: Any) -> Any:
    """``beta · start + alpha · mat1 @ mat2`` with one sparse factor, row by row as it is stored (no ``start`` where ``beta`` is 0).

    Raises:
        RuntimeError: something that is no matrix, lengths that do not meet, or two dtypes.
    """
    if not isinstance(mat1, SparseArray):
        turned = None if start is None else start.T
        return product_added(turned, transposed(mat2), mat1.T, beta, alpha).T
    if isinstance(mat2, SparseArray):
        return product_of_two(mat1, mat2) if not beta else refuse_sum()
    matrix = mat1.coordinates()
    check_factors(matrix, mat2)
    shape = (matrix.shape[0], mat2.shape[1])
    begun = np.zeros(shape, mat2.dtype) if not beta else np.broadcast_to(start, shape) * start.dtype.type(beta)
    factors = matrix.values if alpha == 1 else matrix.values * matrix.dtype.type(alpha)
    return rows_added(begun, matrix.indices[0], factors, mat2[matrix.indices[1]])


def refuse_sum() -> Any:
    """Raises RuntimeError: always."""
    raise RuntimeError("addmm: adding to a product of two sparse matrices is not supported here: add afterwards")


def check_factors(matrix: Coordinates, dense: Any) -> None:
    """Raises RuntimeError: in PyTorch's words, when a sparse and a dense matrix cannot be multiplied."""
    if matrix.sparse_dim != 2 or matrix.ndim != 2:
        raise RuntimeError(f"addmm: matrices expected, got {matrix.sparse_dim}D tensor")
    if dense.ndim != 2:
        raise RuntimeError(f"addmm: matrices expected, got {dense.ndim}D tensor")
    if matrix.shape[1] != dense.shape[0]:
        raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {matrix.shape[1]}, got {dense.shape[0]}")
    if matrix.dtype != dense.dtype:
        raise RuntimeError(f"expected scalar type {scalar_type(matrix)} but found {scalar_type(dense)}")


def rows_added(start: np.ndarray, rows: np.ndarray, factors: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """``start`` with ``factors[i] · terms[i]`` added to its row ``rows[i]``, in this order, each rounded once.

    One step adds to every row what comes first among what is left for it.
    """
    wide = np.float64 if start.dtype.char in "fe" else start.dtype
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    turn = np.arange(len(rows)) - np.searchsorted(ordered, ordered)
    result = start.copy()
    for number in range(int(turn.max(initial=-1)) + 1):
        now = order[turn == number]
        added = factors[now, None].astype(wide) * terms[now].astype(wide)
        result[rows[now]] = (result[rows[now]].astype(wide) + added).astype(start.dtype)
    return result


def transposed(array: Any) -> Any:
    """A sparse or dense matrix with rows and columns swapped."""
    if isinstance(array, Lines):
        return array.transposed()
    if isinstance(array, Coordinates):
        return Coordinates(array.indices[::-1], array.values, array.shape[::-1])
    return array.T


def product_of_two(self: Any, other: Any) -> Any:
    """The product of two sparse matrices, coalesced: every pair of values that meet, added up by place.

    Raises:
        RuntimeError: inner lengths or dtypes that differ.
    """
    one, two = self.coordinates().coalesce(), other.coordinates().coalesce()
    if one.shape[1] != two.shape[0]:
        raise RuntimeError(
            f"mat1 dim 1 must match mat2 dim 0, got {one.shape[1]} and {two.shape[0]}: the sparse factors have shapes "
            f"{list(one.shape)} and {list(two.shape)}"
        )
    if one.dtype != two.dtype:
        raise RuntimeError(f"mat1 dtype {scalar_type(one)} does not match mat2 dtype {scalar_type(two)}")
    lines = compress(two, by_row=True)
    begin, count = lines.starts[one.indices[1]], np.diff(lines.starts)[one.indices[1]]
    left = np.repeat(np.arange(one.nnz), count)
    right = np.repeat(begin, count) + np.arange(len(left)) - np.repeat(np.cumsum(count) - count, count)
    shape = (one.shape[0], two.shape[1])
    places = one.indices[0][left] * shape[1] + lines.others[right]
    pairs = Coordinates(coordinates_of(places, shape), one.values[left] * lines.values[right], shape)
    result = pairs.coalesce()
    result.coalesced = True
    return compress(result, self.by_row) if isinstance(self, Compressed) else result


@sparse_kernel("mm")
def mm(self: Any, mat2: Any) -> Any:
    """``self @ mat2`` with a sparse factor on either side, or on both."""
    if isinstance(self, SparseArray) and isinstance(mat2, SparseArray):
        return product_of_two(self, mat2)
    return product_added(None, self, mat2, 0, 1)


@sparse_kernel("mv")
def mv(self: Any, vec: Any) -> Any:
    """``self @ vec``.

    Raises:
        RuntimeError: lengths that do not meet.
        NotImplementedError: a sparse vector.
    """
    if self.shape[1:] != vec.shape:
        raise RuntimeError(
            f"mv: Expected self.size(-1) == vec.size(-1), but got self of size {list(self.shape)} and vec of size {list(vec.shape)}"
        )
    if isinstance(vec, SparseArray):
        raise NotImplementedError("Could not run 'aten::mv' with a sparse vector: take vec.to_dense()")
    return mm(self, vec[:, None])[:, 0]


@sparse_kernel("addmm")
def addmm(self: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta · self + alpha · mat1 @ mat2``."""
    return product_added(self, mat1, mat2, beta, alpha)


@sparse_kernel("bmm")
def bmm(self: Any, mat2: Any) -> Any:
    """A stack of products, of sparse matrices with dense ones."""
    whole = self.coalesce()
    results = []
    for number in range(self.shape[0]):
        mine = whole.indices[0] == number
        matrix = Coordinates(whole.indices[1:, mine], whole.values[mine], self.shape[1:], coalesced=True)
        results.append(mm(matrix, mat2[number]))
    return np.stack(results)


def mm_of_any(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """``torch.sparse.mm``: a sparse matrix times a sparse or dense one; a sparse first factor gets a sparse gradient.

    ``reduce`` says what becomes of the products that meet in a place (`engine.ops.sparse.reduced_products`): their sum, if not given.

    Raises:
        RuntimeError: matrices that cannot be multiplied.
    """
    if reduce is not None:
        from engine.ops.sparse.reduced_products import reduced_product  # here, since it stands on this module

        return reduced_product(mat1, mat2, reduce)
    first, second = isinstance(mat1._array, SparseArray), isinstance(mat2._array, SparseArray)
    if first and second:
        return sparse_sparse_matmul(mat1, mat2)
    if not first and not second:
        return mat1.mm(mat2)
    if second:
        return mm_of_any(mat2.transpose(-2, -1), mat1.transpose(-2, -1)).transpose(-2, -1)
    return sparse_addmm(None, mat1, mat2, beta=0, alpha=1)


def addmm_of_any(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """``torch.sparse.addmm``: ``beta · mat + alpha · mat1 @ mat2``, the first factor sparse."""
    return sparse_addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


@composite(at="torch")
def spmm(self: Tensor, mat2: Tensor) -> Tensor:
    """The old name of ``torch.mm`` for a sparse first factor."""
    return self.mm(mat2)
