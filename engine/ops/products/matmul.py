"""``matmul``: the matrix product in all ranks, composed of dot, mv, mm and bmm as PyTorch composes it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.ops.core.autocast import lower_precision
from engine.ops.core.declare import composite
from engine.ops.core.dimension import common_shape
from engine.ops.core.misuse import not_a_tensor
from engine.ops.core.signature import Signature
from engine.ops.core.unseen import goes_unseen
from engine.ops.layout.shape import unsafe_view
from engine.ops.products.matrix import dot, mm, mv, product
from engine.tensor import Tensor, wrap

SIGNATURE = Signature(lambda self, other: None)


@composite(aliases="linalg.matmul")
@lower_precision
def matmul(self: Tensor, other: Tensor) -> Tensor:
    """The matrix product in all ranks: vectors, matrices, and stacks of them that broadcast.

    Raises:
        TypeError: one of the two is no tensor.
        RuntimeError: one has no dimensions, or they do not fit.
    """
    if not isinstance(self, Tensor) or not isinstance(other, Tensor):
        position = int(isinstance(self, Tensor))
        raise not_a_tensor("matmul", SIGNATURE, position, (self, other)[position])
    one, two = self._array.ndim, other._array.ndim
    if not one or not two:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {one}D and {two}D")
    if one == 1 and two == 1:
        return dot(self, other)
    if one == 2 and two == 1:
        return mv(self, other)
    if one == 1 and two == 2:
        return self.unsqueeze(0).mm(other).squeeze_(0)
    if one == 2 and two == 2:
        return mm(self, other)
    if one == 3 and two == 3 and modes.grad_enabled:
        # A stack of one that requires grad is folded like a matrix.
        left, right = self._array.shape[0], other._array.shape[0]
        if right == 1 != left and other.requires_grad:
            return folded_product(self, other.squeeze(0))
        if left == 1 != right and self.requires_grad:
            return folded_product(self.squeeze(0), other)
    if goes_unseen(self, other) and lie_alike(self._array, other._array):
        return wrap(stacked_product(self._array, other._array))
    if folds(self, other):
        return folded_product(self, other)
    return batched_product(self, other)


def lie_alike(one: Any, two: Any) -> bool:
    """Whether arrays are stacks that fit pair by pair, or a stack without gaps and a matrix that fits."""
    if two.ndim < 2 or one.shape[-1] != two.shape[-2]:
        return False
    return bool(one.shape[:-2] == two.shape[:-2] if two.ndim > 2 else one.flags.c_contiguous)


def stacked_product(one: Any, two: Any) -> Any:
    """`batched_product` on arrays whose stacks are alike, or `folded_product` on a stack and a matrix."""
    if two.ndim == 2:
        return product(one.reshape(-1, one.shape[-1]), two).reshape(*one.shape[:-1], two.shape[-1])
    if one.ndim == 3:
        return np.ascontiguousarray(product(one, two))
    stacks = [array.reshape(math.prod(array.shape[:-2]), *array.shape[-2:]) for array in (one, two)]
    return np.ascontiguousarray(product(*stacks)).reshape(*one.shape[:-1], two.shape[-1])


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
    lengths = (
        stack._array.shape if larger else (*stack._array.shape[:-2], stack._array.shape[-1], stack._array.shape[-2])
    )
    strides = stack.stride() if larger else stack.mT.stride()
    return not stack._array.size or all(strides[i] == strides[i + 1] * lengths[i + 1] for i in range(stack.ndim - 2))


def folded_product(self: Tensor, other: Tensor) -> Tensor:
    """One tall matrix product for a stack of matrices against a single one."""
    transposed = other.ndim > self.ndim
    stack = other.mT if transposed else self
    matrix = (self.t() if self.ndim == 2 else self) if transposed else other
    lengths = stack._array.shape
    shape = lengths[:-1] + (matrix._array.shape[1:] if matrix.ndim == 2 else ())
    tall = stack.reshape(math.prod(lengths[:-1]), lengths[-1])
    if matrix.ndim == 1:
        return unsafe_view(tall.mv(matrix), shape)
    result = unsafe_view(tall.mm(matrix), shape)
    return result.mT.contiguous() if transposed else result


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
    return unsafe_view(one.bmm(two), shape)


def matrix_multiplication(self: Tensor, other: Any) -> Any:
    """``self @ other``; what is no tensor is Python's to refuse, or numpy's to multiply with."""
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def reflected_multiplication(self: Tensor, other: Any) -> Any:
    """``other @ self``."""
    return matmul(other, self) if isinstance(other, Tensor) else NotImplemented


Tensor.__matmul__ = matrix_multiplication
Tensor.__rmatmul__ = reflected_multiplication
