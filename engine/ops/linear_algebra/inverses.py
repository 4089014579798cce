"""Inverses: of square matrices, and the pseudoinverse of any."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.dtype_names import scalar_type
from engine.ops.core.declare import composite, operator
from engine.ops.linear_algebra import two_by_two
from engine.ops.linear_algebra.factors import lu_packed
from engine.ops.linear_algebra.matrices import (
    adjoint,
    check_infos,
    column_major,
    require_floating,
    require_square,
    singular_values_of,
    wide,
)
from engine.tensor import Tensor

SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."


def inverse_backward(grad: Tensor, inverse: Tensor) -> Tensor:
    """``−A⁻ᴴ · G · A⁻ᴴ``."""
    return -(inverse.mH @ (grad @ inverse.mH))


def inverses(name: str, matrix: Any) -> tuple[Any, Any]:
    """The inverses (column-major) and for each LAPACK's info: the pivot that is zero, or 0."""
    require_square(name, matrix)
    require_floating(name, matrix, half=False)
    _, _, infos = lu_packed(wide(matrix), True)
    wrong = (infos != 0) | ~np.isfinite(matrix).all((-2, -1))  # LAPACK inverts nan to nan, numpy refuses
    if not wrong.any() and matrix.shape[-1] == 2 and matrix.dtype.kind == "f":
        result = two_by_two.solved(matrix, np.broadcast_to(np.eye(2, dtype=matrix.dtype), matrix.shape))
    elif not wrong.any():
        result = np.linalg.inv(wide(matrix))
    else:
        eye = np.broadcast_to(np.eye(matrix.shape[-1], dtype=matrix.dtype), matrix.shape)
        safe = np.where(wrong[..., None, None], eye, wide(matrix))
        result = np.where(wrong[..., None, None], np.nan, np.linalg.inv(safe))
    return column_major(result.astype(matrix.dtype)), infos


@operator(
    formula="A⁻¹",
    at="internal",
    name="linalg_inv_ex",
    outputs="inverse info",
    nondifferentiable=(1,),
    A=lambda grads, inverse: inverse_backward(grads[0], inverse),
)
def inv_ex_operator(A: Any, *, check_errors: bool = False) -> Any:
    """The inverse of every matrix; the gradient is multiplied by the transposed inverse from both sides, with its sign
    flipped.

    Raises:
        LinAlgError: a singular matrix, with ``check_errors``.
    """
    result, infos = inverses("linalg.inv", A)
    if check_errors:
        check_infos("linalg.inv_ex", infos, SINGULAR)
    return result, infos


@composite(at="linalg", name="inv_ex")
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """The inverse, and per matrix 0 or the pivot that was zero."""
    return inv_ex_operator(A, check_errors=check_errors)


@composite(at="linalg")
def inv(A: Tensor) -> Tensor:
    """The matrix that undoes A.

    Raises:
        LinAlgError: a singular matrix.
    """
    result, info = inv_ex_operator(A)
    check_infos("linalg.inv", info._array, SINGULAR)
    return result


@composite()
def inverse(self: Tensor) -> Tensor:
    """The matrix that undoes it: ``linalg.inv``."""
    return inv(self)


def pinv_backward(grad: Tensor, pseudo: Tensor, a: Tensor) -> Tensor:
    """The derivative of the pseudoinverse at constant rank (Golub and Pereyra, 1973)."""
    adjoint_grad, adjoint_pseudo = grad.mH, pseudo.mH
    if a.shape[-2] <= a.shape[-1]:
        inner = adjoint_grad @ pseudo
        after = inner @ adjoint_pseudo
        return (
            -(pseudo @ inner).mH + after - (a @ pseudo) @ after + (adjoint_pseudo @ pseudo) @ (adjoint_grad - inner @ a)
        )
    inner = pseudo @ adjoint_grad
    before = adjoint_pseudo @ inner
    return -(inner @ pseudo).mH + (adjoint_grad - a @ inner) @ pseudo @ adjoint_pseudo + before - (before @ pseudo) @ a


@operator(
    formula="A⁺",
    at="internal",
    name="linalg_pinv",
    saves="result self",
    self=lambda grad, result, self: pinv_backward(grad, result, self),
)
def pinv_operator(self: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """The matrix that comes closest to undoing A; singular values below the tolerance count as zero.

    Raises:
        RuntimeError: no matrix, or a dtype without singular values.
    """
    if self.ndim < 2 or self.dtype.kind not in "fc" or self.dtype.itemsize < 4:
        raise RuntimeError(
            f"linalg.pinv({scalar_type(self).removeprefix('Complex')}{{{list(self.shape)}}}): expected a tensor "
            "with 2 or more dimensions of float, double, cfloat or cdouble types"
        )
    if not self.size:
        return np.empty((*self.shape[:-2], self.shape[-1], self.shape[-2]), self.dtype)
    if hermitian:
        values, vectors = np.linalg.eigh(wide(self))
        left, size, right = vectors, np.abs(values), adjoint(vectors) * np.sign(values)[..., None]
    else:
        left, size, right = singular_values_of(wide(self), full_matrices=False)
    limit = tolerance(size.max(-1, initial=0), self, atol, rtol)
    kept = np.where(size > limit[..., None], 1 / np.where(size == 0, 1, size), 0)
    return np.ascontiguousarray(adjoint(right) @ (kept[..., None] * adjoint(left))).astype(self.dtype)


def tolerance(largest: Any, matrix: Any, atol: Any, rtol: Any) -> Any:
    """Below which singular values count as zero: ``max(atol, rtol · largest)``; by default rounding's share."""
    absolute = 0.0 if atol is None else np.asarray(atol)
    if rtol is None:
        real = dtypes.BY_ARRAY[matrix.dtype].to_real().array
        given = np.asarray(absolute) > 0
        rtol = np.where(given, 0.0, np.finfo(real).eps * max(matrix.shape[-2:]))
    return np.maximum(absolute, np.asarray(rtol) * largest)


@composite(at="linalg")
def pinv(self: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """The pseudoinverse: solves A·X = I in the sense of least squares, for any shape of A."""
    return pinv_operator(self, atol=atol, rtol=rtol if rcond is None else rcond, hermitian=hermitian)


@composite()
def pinverse(self: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudoinverse: ``linalg.pinv`` with a relative tolerance of 1e-15."""
    return pinv(self, rtol=rcond)
