"""Matrix products: the operators with a node of their own, and ``matmul``, which PyTorch composes of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.ops.declare import composite, operator
from engine.ops.dimension import common_shape
from engine.ops.shape import unsafe_view
from engine.tensor import Tensor

NAMES = {"f2": "c10::Half", "f4": "float", "f8": "double", "i8": "long", "i4": "int", "c8": "c10::complex<float>", "c16": "c10::complex<double>"}


def product(a: Any, b: Any) -> Any:
    """``a @ b`` in the dtype of ``a``; half types compute in float32, as PyTorch's CPU kernels do."""
    if a.dtype.itemsize == 2 and a.dtype.kind in "fV":
        return (a.astype(np.float32) @ b.astype(np.float32)).astype(a.dtype)
    return a @ b


def same_dtype(a: Any, b: Any, what: str = "expected m1 and m2 to have the same dtype, but got: {} != {}") -> None:
    """Matrix products do not promote.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if a.dtype != b.dtype:
        raise RuntimeError(what.format(*(NAMES.get(x.dtype.str[1:], str(x.dtype)) for x in (a, b))))


def fitting(mat1: Any, mat2: Any) -> None:
    """Inner lengths must agree.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({mat1.shape[0]}x{mat1.shape[1]} and {mat2.shape[0]}x{mat2.shape[1]})"
        )
    same_dtype(mat1, mat2)


@operator(
    formula="A · B",
    saves="self_sym_sizes self_sym_strides mat2_sym_sizes mat2_sym_strides",
    self=lambda grad, mat2: grad.mm(mat2.t().conj()),
    mat2=lambda grad, self: self.t().conj().mm(grad),
)
def mm(self: Any, mat2: Any) -> Any:
    """Every row of A meets every column of B in a dot product; each matrix's slope is the other, transposed."""
    if self.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError("self must be a matrix" if self.ndim != 2 else "mat2 must be a matrix")
    fitting(self, mat2)
    return product(self, mat2)


@operator(
    formula="A · B per batch",
    self=lambda grad, mat2: grad.bmm(mat2.transpose(1, 2).conj()),
    mat2=lambda grad, self: self.transpose(1, 2).conj().bmm(grad),
)
def bmm(self: Any, mat2: Any) -> Any:
    """A stack of matrix products, one per batch entry."""
    for name, batch in (("batch1", self), ("batch2", mat2)):
        if batch.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    expected = [self.shape[0], self.shape[2]]
    if list(mat2.shape[:2]) != expected:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: {expected} but got: {list(mat2.shape[:2])}."
        )
    same_dtype(self, mat2, "expected scalar type {} but found {}")
    return product(self, mat2)


@operator(formula="A · v", self=lambda grad, vec: grad.ger(vec.conj()), vec=lambda grad, self: self.conj().t().mv(grad))
def mv(self: Any, vec: Any) -> Any:
    """Every row of the matrix meets the vector in a dot product."""
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self.ndim}, {vec.ndim}")
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({self.shape[0]}), mat ({self.shape[0]}x{self.shape[1]}), vec ({vec.shape[0]})")
    same_dtype(self, vec, "expected scalar type {} but found {}")
    return product(self, vec)


def check_vectors(a: Any, b: Any) -> None:
    """Both one-dimensional, of one length and dtype.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        same_dtype(a, b, "dot : expected both vectors to have same dtype, but found {} and {}")
    if a.shape != b.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the same number of elements, "
            f"but got {a.size} and {b.size} elements respectively"
        )


@operator(formula="Σ xᵢ·yᵢ", self=lambda grad, tensor: grad * tensor.conj(), tensor=lambda grad, self: grad * self.conj(), renamed={"other": "tensor"})
def dot(self: Any, tensor: Any) -> Any:
    """Multiplies pair by pair and adds up; each side's slope is the other side."""
    check_vectors(self, tensor)
    return product(self, tensor)


@operator(formula="Σ x̄ᵢ·yᵢ", self=lambda grad, other: grad.conj() * other, other=lambda grad, self: grad * self)
def vdot(self: Any, other: Any) -> Any:
    """A dot product with the left side conjugated."""
    check_vectors(self, other)
    return product(np.conj(self), other)


@operator(
    formula="β·C + α·A·B",
    inplace=True,
    saves="mat1_sym_sizes mat1_sym_strides mat2_sym_sizes mat2_sym_strides",
    self=lambda grad, beta: times(grad, beta),
    mat1=lambda grad, mat2, alpha: times(grad.mm(mat2.t().conj()), alpha),
    mat2=lambda grad, mat1, alpha: times(mat1.t().conj().mm(grad), alpha),
)
def addmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """A matrix product plus something, in one step: what a linear layer does with its bias."""
    if mat1.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"mat1 must be a matrix, got {mat1.ndim}-D tensor" if mat1.ndim != 2 else f"mat2 must be a matrix, got {mat2.ndim}-D tensor")
    same_dtype(mat1, mat2, "mat1 and mat2 must have the same dtype, but got {} and {}")
    fitting(mat1, mat2)
    if self.dtype != mat1.dtype:
        same_dtype(self, mat1, "self and mat2 must have the same dtype, but got {} and {}")
    return combined(self, product(mat1, mat2), beta, alpha)


@operator(
    formula="β·C + α·A·B per batch",
    inplace=True,
    self=lambda grad, beta: times(grad, beta),
    batch1=lambda grad, batch2, alpha: times(grad.bmm(batch2.transpose(1, 2).conj()), alpha),
    batch2=lambda grad, batch1, alpha: times(batch1.transpose(1, 2).conj().bmm(grad), alpha),
)
def baddbmm(self: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """A stack of matrix products plus something."""
    return combined(self, product(batch1, batch2), beta, alpha)


@operator(
    formula="β·C + α·Σ A·B",
    inplace=True,
    saves="batch1_sym_argsize_0 batch1_sym_argsize_1 batch2_sym_argsize_2",
    self=lambda grad, beta: times(grad, beta),
    batch1=lambda grad, batch1_shape, batch2, alpha: times(over_batch(grad, batch1_shape).bmm(batch2.transpose(1, 2).conj()), alpha),
    batch2=lambda grad, batch1_shape, batch1, alpha: times(batch1.transpose(1, 2).conj().bmm(over_batch(grad, batch1_shape)), alpha),
)
def addbmm(self: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """A stack of matrix products, added up over the stack, plus something."""
    return combined(self, product(batch1, batch2).sum(axis=0, dtype=batch1.dtype), beta, alpha)


@operator(
    formula="β·y + α·A·v",
    inplace=True,
    self=lambda grad, beta: times(grad, beta),
    mat=lambda grad, vec, alpha: times(grad.ger(vec.conj()), alpha),
    vec=lambda grad, mat, alpha: times(mat.t().conj().mv(grad), alpha),
)
def addmv(self: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """A matrix times a vector plus something."""
    return combined(self, product(mat, vec), beta, alpha)


@operator(
    formula="β·C + α·v⊗w",
    inplace=True,
    self=lambda grad, beta: times(grad, beta),
    vec1=lambda grad, vec2, alpha: times(grad.mv(vec2.conj()), alpha),
    vec2=lambda grad, vec1, alpha: times(grad.t().mv(vec1.conj()), alpha),
)
def addr(self: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """The table of all products of two vectors' elements, plus something."""
    return combined(self, np.multiply.outer(vec1, vec2), beta, alpha)


def times(grad: Tensor, factor: Any) -> Tensor:
    """``grad · factor`` without an operation when the factor is 1."""
    return grad if factor == 1 else grad * factor


def over_batch(grad: Tensor, batch_shape: Any) -> Tensor:
    """One gradient matrix, seen by every entry of the batch."""
    return grad.unsqueeze(0).expand(batch_shape[0], *grad.shape)


def combined(bias: Any, value: Any, beta: Any, alpha: Any) -> Any:
    """``β·bias + α·value`` (β = 0 ignores even a NaN in the bias)."""
    value = value if alpha == 1 else (value * alpha).astype(value.dtype)
    if beta == 0:
        return value
    return value + (bias if beta == 1 else (bias * beta).astype(value.dtype))


@composite(aliases="ger")
def outer(self: Tensor, vec2: Tensor) -> Tensor:
    """The table of all products of two vectors' elements."""
    if self.ndim != 1 or vec2.ndim != 1:
        which, bad = ("self", self) if self.ndim != 1 else ("vec2", vec2)
        raise RuntimeError(f"outer: Expected 1-D argument {which}, but got {bad.ndim}-D")
    return self.reshape(self._array.size, 1) * vec2


@composite(aliases="linalg.matmul")
def matmul(self: Tensor, other: Tensor) -> Tensor:
    """The matrix product in all ranks: vectors, matrices, and stacks of them that broadcast."""
    one, two = self._array.ndim, other._array.ndim
    if not one or not two:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {one}D and {two}D")
    if one == 1 and two == 1:
        return dot(self, other)  # type: ignore[no-any-return]
    if one == 2 and two == 1:
        return mv(self, other)  # type: ignore[no-any-return]
    if one == 1 and two == 2:
        return self.unsqueeze(0).mm(other).squeeze_(0)  # type: ignore[no-any-return]
    if one == 2 and two == 2:
        return mm(self, other)  # type: ignore[no-any-return]
    if folds(self, other):
        return folded_product(self, other)
    return batched_product(self, other)


def folds(self: Tensor, other: Tensor) -> bool:
    """Whether a stack times a matrix is done as one tall matrix product (PyTorch's ``should_fold``)."""
    larger = self.ndim >= other.ndim
    stack, matrix = (self, other) if larger else (other, self)
    if not (stack.ndim >= 3 and matrix.ndim <= 2):
        return False
    if matrix.requires_grad and modes.grad_enabled:
        return True
    if self.ndim == 2:
        return False
    lengths = stack._array.shape if larger else (*stack._array.shape[:-2], stack._array.shape[-1], stack._array.shape[-2])
    strides = stack.stride() if larger else stack.mT.stride()
    return not stack._array.size or all(
        strides[i] == strides[i + 1] * lengths[i + 1] for i in range(stack.ndim - 2)
    )


def folded_product(self: Tensor, other: Tensor) -> Tensor:
    """One tall matrix product for a stack of matrices against a single one."""
    transposed = other.ndim > self.ndim
    stack = other.mT if transposed else self
    matrix = (self.t() if self.ndim == 2 else self) if transposed else other
    lengths = stack._array.shape
    shape = lengths[:-1] + (matrix._array.shape[1:] if matrix.ndim == 2 else ())
    tall = stack.reshape(math.prod(lengths[:-1]), lengths[-1])
    if matrix.ndim == 1:
        return unsafe_view(tall.mv(matrix), shape)  # type: ignore[no-any-return]
    result = unsafe_view(tall.mm(matrix), shape)
    return result.mT.contiguous() if transposed else result  # type: ignore[no-any-return]


def batched_product(self: Tensor, other: Tensor) -> Tensor:
    """Both sides expanded to the common batch and multiplied with ``bmm``."""
    left, right = self._array.shape, other._array.shape
    rows, inner = (left[-2] if len(left) > 1 else 1), left[-1]
    depth, columns = (right[-2], right[-1]) if len(right) > 1 else (right[-1], 1)
    batch = common_shape(left[:-2], right[:-2])
    count = math.prod(batch)
    one = self.expand(*batch, rows, inner).reshape(count, rows, inner)
    if len(right) == 1:
        two = other.expand(*batch, depth).reshape(count, depth).unsqueeze(2)
    else:
        two = other.expand(*batch, depth, columns).reshape(count, depth, columns)
    shape = batch + ((rows,) if len(left) > 1 else ()) + ((columns,) if len(right) > 1 else ())
    return unsafe_view(one.bmm(two), shape)  # type: ignore[no-any-return]


Tensor.__matmul__ = matmul  # type: ignore[method-assign,assignment]
Tensor.__rmatmul__ = lambda self, other: matmul(other, self)  # type: ignore[attr-defined]
