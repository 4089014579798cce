"""Determinants, and their logarithms: products of the pivots of an LU factorisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.results import result_type
from engine.ops.linear_algebra import two_by_two
from engine.ops.linear_algebra.factors import lu_packed
from engine.ops.linear_algebra.lu_solving import linalg_lu_solve
from engine.ops.linear_algebra.matrices import column_major, require_floating, require_kernel, require_square, wide
from engine.tensor import Tensor


def factored(matrix: Any) -> tuple[Any, Any, Any, Any]:
    """Packed LU in double precision, pivots, the diagonal, and the sign of the row exchanges."""
    packed, pivots, _ = lu_packed(wide(matrix), True)
    diagonal = np.diagonal(packed, axis1=-2, axis2=-1)
    exchanged = (pivots != np.arange(1, pivots.shape[-1] + 1)).sum(-1)
    return packed, pivots, diagonal, 1.0 - 2.0 * (exchanged % 2)


def det_backward(grad: Tensor, result: Tensor, a: Tensor, packed: Tensor, pivots: Tensor) -> Tensor:
    """``conj(det) · A⁻ᴴ`` times the gradient.

    Where A is singular, the first derivative comes from a factorisation moved slightly away from it, and one that
    will be derived again from singular values (as in PyTorch): the adjugate is finite there, the inverse is not.
    """
    if not a._array.size:
        return a.new_zeros(a.shape)
    if a.shape[-1] == 1:
        return grad[..., None, None].expand(a.shape)
    share = grad * result.conj()
    if not modes.grad_enabled:
        diagonal = packed.diagonal(0, -2, -1)
        smallest = float(np.finfo(a.dtype.to_real().array).eps)
        safe = packed + (diagonal == 0).to(a.dtype).diag_embed() * smallest
        if bool((result == 0).any().item()):
            share = grad * safe_product(safe, pivots).conj()
        return linalg_lu_solve(safe, pivots, along_diagonal(share, a), adjoint=True)
    if not bool((result == 0).any().item()):
        return TABLES["linalg"]["solve"](a.mH, along_diagonal(share, a).mT)
    return singular_det_backward(grad, a)


def along_diagonal(share: Tensor, a: Tensor) -> Tensor:
    """A matrix of A's shape with one number all along its diagonal."""
    return share.unsqueeze(-1).expand(a.shape[:-1]).diag_embed()


def safe_product(packed: Tensor, pivots: Tensor) -> Tensor:
    """The determinant of the moved factorisation."""
    count = TABLES["torch"]["arange"](1, pivots.shape[-1] + 1, dtype=pivots.dtype)
    sign = 1 - 2 * ((pivots != count).sum(-1) % 2)
    return packed.diagonal(0, -2, -1).prod(-1) * sign


def singular_det_backward(grad: Tensor, a: Tensor) -> Tensor:
    """``conj(det U · det Vᴴ) · U · diag(∏ⱼ≠ᵢ sⱼ) · Vᴴ``."""
    left, values, right = TABLES["linalg"]["svd"](a)
    sign = (det(left) * det(right)).conj() * grad
    rest = []
    for i in range(values.shape[-1]):
        others = [j for j in range(values.shape[-1]) if j != i]
        rest.append(values[..., others].prod(-1))
    products = TABLES["torch"]["stack"](rest, -1)
    return (left * (sign[..., None] * products).unsqueeze(-2)) @ right


@operator(
    formula="det A", at="internal", name="_linalg_det", outputs="result LU pivots",
    nondifferentiable=(1, 2), saves="A LU pivots result",
    A=lambda grads, result, A, LU, pivots: det_backward(grads[0], result, A, LU, pivots),
)  # fmt: skip
def det_operator(A: Any) -> Any:
    """How much the matrix stretches volumes, with its sign; the slope is the determinant times the transposed inverse.

    Raises:
        RuntimeError: not square, or whole numbers.
    """
    require_square("linalg.det", A)
    require_floating("linalg.det", A)
    require_kernel("lu_cpu", A)
    packed, pivots, diagonal, sign = factored(A)
    real_pair = A.shape[-1] == 2 and A.dtype.kind == "f"
    value = two_by_two.determinant(A) if real_pair else sign * diagonal.prod(-1)
    return np.asarray(value).astype(A.dtype), column_major(packed.astype(A.dtype)), pivots


@composite(at="linalg torch tensor")
def det(self: Tensor) -> Tensor:
    """How much the matrix stretches volumes, with its sign."""
    return det_operator(self)[0]


def slogdet_backward(grads: Any, a: Tensor, sign: Tensor) -> Tensor | None:
    """``A⁻ᴴ`` times the logarithm's gradient; a complex sign adds its turning."""
    grad_sign, grad_log = grads[0], grads[1]
    if grad_sign is None and grad_log is None:
        return None
    if not a.dtype.is_complex:
        if grad_log is None:
            return None
        share = grad_log
    else:
        turning = None if grad_sign is None else (grad_sign.conj() * sign).imag * -1j
        share = turning if grad_log is None else grad_log.to(a.dtype) if turning is None else grad_log - (-turning)
    return TABLES["linalg"]["solve"](a.mH, along_diagonal(share, a).mT)


@operator(
    formula="sign and log |det A|", at="internal", name="_linalg_slogdet",
    outputs="sign logabsdet LU pivots", nondifferentiable=(2, 3), saves="A LU pivots sign", undefined_gradients=True,
    A=lambda grads, A, sign: slogdet_backward(grads, A, sign),
)  # fmt: skip
def slogdet_operator(A: Any) -> Any:
    """The determinant's sign and the logarithm of its size; the logarithm's slope is the transposed inverse.

    Raises:
        RuntimeError: not square, or no floating-point numbers.
    """
    require_square("linalg.slogdet", A)
    require_floating("linalg.slogdet", A, half=False)
    packed, pivots, diagonal, exchange = factored(A)
    size = np.abs(diagonal)
    direction = np.where(size == 0, 0, diagonal / np.where(size == 0, 1, size))
    real = dtypes.BY_ARRAY[A.dtype].to_real().array
    return (
        np.asarray(exchange * direction.prod(-1)).astype(A.dtype),
        np.asarray(np.log(size).sum(-1)).astype(real),
        column_major(packed.astype(A.dtype)),
        pivots,
    )


SLOGDET: dict[str, Any] = {
    "linalg": result_type("linalg_slogdet", ("sign", "logabsdet")),
    "torch": result_type("slogdet", ("sign", "logabsdet")),
}


@composite(at="linalg", name="slogdet")
def linalg_slogdet(A: Tensor) -> Any:
    """The determinant's sign, and the logarithm of its size."""
    return SLOGDET["linalg"](slogdet_operator(A)[:2])


@composite()
def slogdet(self: Tensor) -> Any:
    """The determinant's sign, and the logarithm of its size."""
    return SLOGDET["torch"](slogdet_operator(self)[:2])


@composite()
def logdet(self: Tensor) -> Tensor:
    """The determinant's logarithm; NaN where the determinant is negative.

    Raises:
        RuntimeError: not square, or no floating-point numbers.
    """
    require_square("logdet", self._array)
    require_floating("logdet", self._array, half=False)
    sign, logarithm = slogdet_operator(self)[:2]
    if self.dtype.is_complex:
        return sign.log() + logarithm
    return TABLES["torch"]["where"](sign == -1, float("nan"), logarithm)
