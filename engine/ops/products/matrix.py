"""Products of matrices and vectors that have a node of their own (``matmul`` is composed of them)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.core.keepers import KeptStrides
from engine.ops.core.misuse import not_a_tensor
from engine.ops.core.on_arrays import takes_arrays
from engine.ops.core.signature import Number, Signature
from engine.ops.products.checks import (
    check_addbmm,
    check_addmm,
    check_addmv,
    check_addr,
    check_baddbmm,
    check_bmm,
    check_mm,
    check_mv,
    check_vectors,
)
from engine.ops.products.complex_rounding import complex_product
from engine.ops.products.rounding import batched_product, inner_product, matrix_product, vector_product
from engine.tensor import Tensor


def product(a: Any, b: Any) -> Any:
    """``a @ b`` in the dtype of ``a``; half types compute in float32, as PyTorch's CPU kernels do."""
    if a.dtype.char == "f":
        return IN_FLOAT[a.ndim, b.ndim](a, b)
    if a.dtype.itemsize == 2 and a.dtype.kind in "fV":
        return (a.astype(np.float32) @ b.astype(np.float32)).astype(a.dtype)
    return complex_product(a, b) if a.dtype.kind == "c" and a.ndim == b.ndim > 1 else a @ b


IN_FLOAT: dict[tuple[int, int], Callable[[Any, Any], Any]] = {
    (1, 1): inner_product,
    (2, 1): vector_product,
    (2, 2): matrix_product,
    (3, 3): batched_product,
}
"""By the numbers of dimensions."""


@operator(
    needs_tensors="self mat2",
    formula="A · B",
    saves="self_sym_sizes self_sym_strides mat2_sym_sizes mat2_sym_strides",
    self=lambda grad, mat2: grad.mm(mat2.t().conj()),
    mat2=lambda grad, self: self.t().conj().mm(grad),
)
def mm(self: Any, mat2: Any) -> Any:
    """Every row of the first matrix meets every column of the second in a dot product; each matrix's gradient is
    multiplied by the other, transposed.
    """
    check_mm(self, mat2)
    return product(self, mat2)


@operator(
    needs_tensors="self mat2",
    formula="A · B per batch",
    self=lambda grad, mat2: grad.bmm(mat2.transpose(1, 2).conj()),
    mat2=lambda grad, self: self.transpose(1, 2).conj().bmm(grad),
)
def bmm(self: Any, mat2: Any) -> Any:
    """A stack of matrix products, one per batch entry; each matrix's gradient is multiplied by the other, transposed."""
    check_bmm(self, mat2)
    return np.ascontiguousarray(product(self, mat2))  # numpy would order the batch as its operands have it


@operator(
    needs_tensors="self vec",
    formula="A · v",
    self=lambda grad, vec: grad.ger(vec.conj()),
    vec=lambda grad, self: self.conj().t().mv(grad),
)
def mv(self: Any, vec: Any) -> Any:
    """Every row of the matrix meets the vector in a dot product; the vector's gradient is multiplied by the matrix,
    transposed.
    """
    check_mv(self, vec)
    return product(self, vec)


@operator(
    needs_tensors="self tensor",
    formula="Σ xᵢ·yᵢ",
    self=lambda grad, tensor: grad * tensor.conj(),
    tensor=lambda grad, self: grad * self.conj(),
    renamed={"other": "tensor"},
)
def dot(self: Any, tensor: Any) -> Any:
    """Multiplies pair by pair and adds up; each side's slope is the other side."""
    check_vectors(self, tensor)
    return product(self, tensor)


@operator(
    needs_tensors="self other",
    formula="Σ x̄ᵢ·yᵢ",
    self=lambda grad, other: grad.conj() * other,
    other=lambda grad, self: grad * self,
)
def vdot(self: Any, other: Any) -> Any:
    """A dot product with the left side conjugated."""
    check_vectors(self, other)
    return product(np.conj(self), other)


@operator(
    needs_tensors="self mat1 mat2",
    formula="β·C + α·A·B",
    inplace=True,
    saves="mat1_sym_sizes mat1_sym_strides mat2_sym_sizes mat2_sym_strides",
    self=lambda grad, beta: times(grad, beta),
    mat1=lambda grad, mat2, alpha: times(grad.mm(mat2.t().conj()), alpha),
    mat2=lambda grad, mat1, alpha: times(mat1.t().conj().mm(grad), alpha),
)
def addmm(self: Any, mat1: Any, mat2: Any, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """A matrix product plus something, in one step; what was added gets the gradient unchanged, unless
    ``beta`` scales it.
    """
    check_addmm(self, mat1, mat2)
    if mat1.dtype.char == "f" and beta == 1 == alpha:
        return matrix_product(mat1, mat2, self)
    if mat1.dtype.itemsize == 2 and mat1.dtype.kind in "fV":  # rounded once, with what is added
        wide = [array.astype(np.float32) for array in (self, mat1, mat2)]
        return combined(wide[0], wide[1] @ wide[2], beta, alpha).astype(mat1.dtype)
    return combined(self, product(mat1, mat2), beta, alpha)


@operator(
    needs_tensors="self batch1 batch2",
    formula="β·C + α·A·B per batch",
    inplace=True,
    self=lambda grad, beta: times(grad, beta),
    batch1=lambda grad, batch2, alpha: times(grad.bmm(batch2.transpose(1, 2).conj()), alpha),
    batch2=lambda grad, batch1, alpha: times(batch1.transpose(1, 2).conj().bmm(grad), alpha),
)
def baddbmm(self: Any, batch1: Any, batch2: Any, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """A stack of matrix products plus something; what was added gets the gradient unchanged, unless
    ``beta`` scales it.
    """
    check_baddbmm(self, batch1, batch2)
    return combined(self, product(batch1, batch2), beta, alpha)


@operator(
    needs_tensors="self batch1 batch2",
    formula="β·C + α·Σ A·B",
    inplace=True,
    saves="batch1_sym_argsize_0 batch1_sym_argsize_1 batch2_sym_argsize_2",
    self=lambda grad, beta: times(grad, beta),
    batch1=lambda grad, batch1_shape, batch2, alpha: times(
        over_batch(grad, batch1_shape).bmm(batch2.transpose(1, 2).conj()), alpha
    ),
    batch2=lambda grad, batch1_shape, batch1, alpha: times(
        batch1.transpose(1, 2).conj().bmm(over_batch(grad, batch1_shape)), alpha
    ),
)
def addbmm(self: Any, batch1: Any, batch2: Any, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """A stack of matrix products, added up over the stack, plus something; what was added gets the gradient unchanged, unless
    ``beta`` scales it.
    """
    check_addbmm(self, batch1, batch2)
    return combined(self, product(batch1, batch2).sum(axis=0, dtype=batch1.dtype), beta, alpha)


@operator(
    needs_tensors="self mat vec",
    formula="β·y + α·A·v",
    inplace=True,
    self=lambda grad, beta: times(grad, beta),
    mat=lambda grad, vec, alpha: times(grad.ger(vec.conj()), alpha),
    vec=lambda grad, mat, alpha: times(mat.t().conj().mv(grad), alpha),
)
def addmv(self: Any, mat: Any, vec: Any, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """A matrix times a vector plus something; what was added gets the gradient unchanged, unless
    ``beta`` scales it.
    """
    check_addmv(self, mat, vec)
    return combined(self, product(mat, vec), beta, alpha)


@operator(
    needs_tensors="self vec1 vec2",
    promotes="self vec1 vec2",
    formula="β·C + α·v⊗w",
    inplace=True,
    self=lambda grad, beta: times(grad, beta),
    vec1=lambda grad, vec2, alpha: times(grad.mv(vec2.conj()), alpha),
    vec2=lambda grad, vec1, alpha: times(grad.t().mv(vec1.conj()), alpha),
)
def addr(self: Any, vec1: Any, vec2: Any, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """The table of all products of two vectors' elements, plus something; what was added gets the gradient unchanged, unless
    ``beta`` scales it.
    """
    check_addr(self, vec1, vec2)
    return combined(self, np.multiply.outer(vec1, vec2), beta, alpha)


@takes_arrays
def times(grad: Tensor, factor: Any) -> Tensor:
    """``grad`` times the factor (conjugated, if complex), without an operation when that is 1."""
    return grad if factor == 1 else grad * (factor.conjugate() if isinstance(factor, complex) else factor)


def column_major(strides: Any, sizes: Any) -> bool:
    """Whether a matrix lies in memory column by column, as the transposed weight of a linear layer does."""
    if type(strides) is KeptStrides:
        return strides.go_by_columns()
    rows, columns = strides
    return bool(rows == 1 and columns == sizes[0])


@takes_arrays
def first_on_arrays(grad: Any, second: Any, sizes: Any, strides: Any) -> Any:
    """The gradient of ``A`` in ``A · B``, multiplied in the order that lays it out as A is."""
    return product(second, grad.T).T if column_major(strides, sizes) else product(grad, second.T)


@takes_arrays
def second_on_arrays(grad: Any, first: Any, sizes: Any, strides: Any) -> Any:
    """The gradient of ``B`` in ``A · B``, multiplied in the order that lays it out as B is."""
    return product(grad.T, first).T if column_major(strides, sizes) else product(first.T, grad)


@takes_arrays
def batches_on_arrays(one: Any, other: Any) -> Any:
    """``one @ other`` for two stacks of matrices."""
    return product(one, other)


mm.bare = {
    "self": lambda grad, mat2, self_sym_sizes, self_sym_strides: first_on_arrays(
        grad, mat2, self_sym_sizes, self_sym_strides
    ),
    "mat2": lambda grad, self, mat2_sym_sizes, mat2_sym_strides: second_on_arrays(
        grad, self, mat2_sym_sizes, mat2_sym_strides
    ),
}
addmm.bare = {
    "mat1": lambda grad, mat2, alpha, mat1_sym_sizes, mat1_sym_strides: times(
        first_on_arrays(grad, mat2, mat1_sym_sizes, mat1_sym_strides), alpha
    ),
    "mat2": lambda grad, mat1, alpha, mat2_sym_sizes, mat2_sym_strides: times(
        second_on_arrays(grad, mat1, mat2_sym_sizes, mat2_sym_strides), alpha
    ),
}
bmm.bare = {
    "self": lambda grad, mat2: batches_on_arrays(grad, mat2.transpose(1, 2)),
    "mat2": lambda grad, self: batches_on_arrays(self.transpose(1, 2), grad),
}
baddbmm.bare = {
    "batch1": lambda grad, batch2, alpha: times(batches_on_arrays(grad, batch2.transpose(1, 2)), alpha),
    "batch2": lambda grad, batch1, alpha: times(batches_on_arrays(batch1.transpose(1, 2), grad), alpha),
}


def over_batch(grad: Tensor, batch_shape: Any) -> Tensor:
    """One gradient matrix, seen by every entry of the batch."""
    return grad.unsqueeze(0).expand(batch_shape[0], *grad.shape)


def combined(bias: Any, value: Any, beta: Any, alpha: Any) -> Any:
    """``β·bias + α·value`` (β = 0 ignores even a NaN in the bias)."""
    value = value if alpha == 1 else (value * alpha).astype(value.dtype)
    if beta == 0:
        return value
    return value + (bias if beta == 1 else (bias * beta).astype(value.dtype))


OUTER = Signature(lambda self, vec2: None)


@composite(aliases="ger")
def outer(self: Tensor, vec2: Tensor) -> Tensor:
    """The table of all products of two vectors' elements.

    Raises:
        RuntimeError: no vectors.
    """
    if not isinstance(vec2, Tensor):
        raise not_a_tensor("outer", OUTER, 1, vec2)
    if self.ndim != 1 or vec2.ndim != 1:
        which, bad = ("self", self) if self.ndim != 1 else ("vec2", vec2)
        raise RuntimeError(f"outer: Expected 1-D argument {which}, but got {bad.ndim}-D")
    return self.reshape(self._array.size, 1) * vec2
