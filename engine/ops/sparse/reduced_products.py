"""``torch.sparse.mm`` with a reduction: what meets in a place is added up, averaged, or only the largest or smallest counts.

Graph networks gather messages so: the sparse matrix says who listens to whom.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import operator
from engine.ops.sparse.compressed import Compressed
from engine.ops.sparse.kernels import FAMILY
from engine.ops.sparse.products import rows_added
from engine.placement import sparse_csr
from engine.tensor import Tensor

REDUCTIONS = {"sum": "sum", "mean": "mean", "max": "amax", "amax": "amax", "min": "amin", "amin": "amin"}
"""As they are called, and as PyTorch's kernels call them."""


def reduced_product(mat1: Tensor, mat2: Tensor, reduce: str) -> Tensor:
    """``torch.sparse.mm(mat1, mat2, reduce)``, ``mat1`` with compressed rows.

    Raises:
        RuntimeError: an unknown reduction, or matrices that do not fit it.
        NotImplementedError: a first factor that is not compressed, or whole numbers.
    """
    if reduce == "prod":
        raise RuntimeError("sparse_mm_reduce: reduce type of prod has not been enabled.")
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    require_fitting(mat1, mat2)
    product: Tensor = sparse_mm_reduce(mat1, mat2, REDUCTIONS[reduce])[0]
    return product


def require_fitting(mat1: Tensor, mat2: Tensor) -> None:
    """Raises RuntimeError, NotImplementedError: in PyTorch's words, factors that the kernel does not take."""
    first, second = mat1._array, mat2._array
    if not isinstance(first, Compressed):
        backend = "CPU" if mat1._strided else first.backend
        raise NotImplementedError(
            f"Could not run 'aten::_sparse_mm_reduce_impl' with arguments from the '{backend}' backend."
        )
    if mat1.layout is not sparse_csr:
        raise RuntimeError("sparse_mm_reduce: expect self to be SparseCsr, got SparseCsc")
    if not mat2._strided:
        raise RuntimeError(
            "Expected tensor to have Strided Layout, but got tensor with SparseCsr Layout (while checking arguments for "
            "sparse_mm_reduce)"
        )
    if first.dtype != second.dtype:
        raise RuntimeError(
            f"Expected tensor for argument #1 'other' to have scalar type {scalar_type(first)}; but got {mat2.type()} instead "
            "(while checking arguments for sparse_mm_reduce)"
        )
    if second.ndim != 2 or second.shape[0] != first.shape[1]:
        raise RuntimeError(
            f"Expected a tensor of dimension 2 and tensor.size[0] == {first.shape[1]} but got: dimension {second.ndim} and "
            f"tensor.size[0] = {second.shape[0]}"
        )
    if first.dtype.kind in "biuc":
        raise NotImplementedError(f"\"spmm_reduce_kernel\" not implemented for '{scalar_type(first)}'")


@operator(
    at="internal",
    name="_sparse_mm_reduce_impl",
    family=FAMILY,
    formula="A · B, reduced otherwise",
    outputs="result0 result1",
    nondifferentiable=(1,),
    saves="other reduce result1 self",
    differentiable="self other",
    joint=lambda grads, self, other, reduce, result1, needs: sparse_mm_reduce_backward(
        grads[0], self, other, reduce, result1, needs
    ),
)
def sparse_mm_reduce(self: Any, other: Any, reduce: str) -> Any:
    """Multiplies each stored value by the row it points at and reduces these row by row; a gradient goes back to what counted."""
    rows, terms = self.line_numbers(), self.values[:, None] * other[self.others]
    shape = (self.shape[0], other.shape[1])
    if reduce in ("sum", "mean"):
        total = rows_added(np.zeros(shape, other.dtype), rows, self.values, other[self.others])
        if reduce == "mean":
            total = total / np.maximum(np.diff(self.starts), 1)[:, None].astype(total.dtype)
        return total, np.empty(0, np.int64)
    result, chosen = np.zeros(shape, other.dtype), np.full(shape, self.nnz, np.int64)
    choose = np.argmax if reduce == "amax" else np.argmin
    for row in np.flatnonzero(np.diff(self.starts)):
        begin, end = self.starts[row], self.starts[row + 1]
        chosen[row] = begin + choose(terms[begin:end], axis=0)
        result[row] = np.take_along_axis(terms, chosen[row][None], 0)[0]
    return result, chosen


@operator(at="internal", name="_sparse_mm_reduce_impl_backward", family=FAMILY, outputs="result0 result1")
def sparse_mm_reduce_backward(grad: Any, self: Any, other: Any, reduce: str, chosen: Any, needs: Any) -> Any:
    """The derivative of the function that its name begins with, as an operation of its own; it has none itself."""
    rows = self.line_numbers()
    arriving, met = grad[rows], other[self.others]
    if reduce == "mean":
        arriving = arriving / np.diff(self.starts)[rows, None].astype(grad.dtype)
    elif reduce != "sum":
        arriving = np.where(chosen[rows] == np.arange(self.nnz)[:, None], arriving, 0).astype(grad.dtype)
    for_self = self.with_values((arriving * met).sum(axis=1, dtype=grad.dtype)) if needs[0] else None
    for_other = rows_added(np.zeros_like(other), self.others, self.values, arriving) if needs[1] else None
    return for_self, for_other
