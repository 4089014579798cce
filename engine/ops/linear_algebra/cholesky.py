"""``A = L·Lᴴ`` of a positive-definite matrix, and what is solved with L."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.linear_algebra.factors import substitute
from engine.ops.linear_algebra.matrices import (
    adjoint,
    batched,
    check_infos,
    column_major,
    each_matrix,
    require_floating,
    require_kernel,
    require_square,
    wide,
)
from engine.tensor import Tensor
from engine.warned import warn_once

NOT_POSITIVE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of "
    "order {} is not positive-definite)."
)


def cholesky_backward(grad: Tensor, upper: bool, factor: Tensor) -> Tensor:
    """``½·L⁻ᴴ·(Φ + Φᴴ)·L⁻¹`` with Φ the lower triangle of ``Lᴴ·G_L`` (Murray, *Differentiation of the Cholesky
    decomposition*, 2016).
    """
    solve = TABLES["linalg"]["solve_triangular"]
    lower, grad = (factor.mH, grad.mH) if upper else (factor, grad)
    phi = (lower.mH @ grad).tril()
    symmetric = (phi + phi.tril(-1).mH) * 0.5
    return solve(lower, solve(lower.mH, symmetric, upper=True), upper=False, left=False)


def factors(matrix: Any, upper: bool) -> tuple[Any, Any]:
    """The factor (column-major) of each matrix, and the order of the minor that is not positive, or 0."""
    source = adjoint(np.triu(matrix)) if upper else np.tril(matrix)
    stack = each_matrix(wide(source))
    result, infos = np.array(stack), np.zeros(len(stack), np.int32)
    for b, one in enumerate(stack):
        infos[b] = eliminate(one, result[b])
    result = np.tril(result).reshape(matrix.shape).astype(matrix.dtype)
    return column_major(adjoint(result) if upper else result), infos.reshape(matrix.shape[:-2])


def eliminate(matrix: Any, into: Any) -> int:
    """Writes L; returns the order of the first minor that is not positive (0 if there is none)."""
    try:
        factor = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        factor = None
    if factor is not None and not np.isnan(factor).any():  # nan is no positive pivot either
        into[...] = factor
        return 0
    for k in range(len(matrix)):
        pivot = (into[k, k] - (into[k, :k] * into[k, :k].conj()).sum()).real
        if not pivot > 0:
            return k + 1
        into[k, k] = np.sqrt(pivot)
        into[k + 1 :, k] = (into[k + 1 :, k] - into[k + 1 :, :k] @ into[k, :k].conj()) / into[k, k]
    return 0


@operator(
    formula="L with L·Lᴴ = A",
    at="internal",
    name="linalg_cholesky_ex",
    outputs="L info",
    nondifferentiable=(1,),
    saves="L upper",
    self=lambda grads, upper, L: cholesky_backward(grads[0], upper, L),
)
def cholesky_ex_operator(self: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The triangle L with L·Lᴴ = A, and 0 where A is positive-definite, else how far it came.

    Raises:
        LinAlgError: not positive-definite, with ``check_errors``.
    """
    require_square("linalg.cholesky", self)
    require_floating("linalg.cholesky", self)
    require_kernel("cholesky_cpu", self)
    result, infos = factors(self, upper)
    if check_errors:
        check_infos("linalg.cholesky_ex", infos, NOT_POSITIVE)
    return result, infos


@composite(at="linalg")
def cholesky_ex(self: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The triangle L with L·Lᴴ = A, and per matrix 0 or the order of the minor that is not positive."""
    return cholesky_ex_operator(self, upper=upper, check_errors=check_errors)


@composite(at="linalg", name="cholesky")
def linalg_cholesky(self: Tensor, *, upper: bool = False) -> Tensor:
    """The triangle L with L·Lᴴ = A.

    Raises:
        LinAlgError: A is not positive-definite.
    """
    result, info = cholesky_ex_operator(self, upper=upper)
    check_infos("linalg.cholesky", info._array, NOT_POSITIVE)
    return result


@operator(
    formula="L with L·Lᴴ = A",
    saves="result upper",
    self=lambda grad, upper, result: cholesky_backward(grad, upper, result),
)
def cholesky(self: Any, upper: bool = False) -> Any:
    """The triangle L with L·Lᴴ = A, or U with Uᴴ·U = A.

    Raises:
        LinAlgError: A is not positive-definite.
    """
    warn_once(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        "release.",
        stacklevel=4,
    )
    require_square("cholesky", self)
    require_kernel("cholesky_cpu", self)
    result, infos = factors(self, upper)
    check_infos("cholesky", infos, NOT_POSITIVE)
    return result


def cholesky_solve_backward(
    grad: Tensor, factor: Tensor, result: Tensor, upper: bool, needs: Any
) -> tuple[Tensor, Tensor | None]:
    """B's gradient solves the same system; L's follows from that of ``L·Lᴴ``."""
    for_b = cholesky_solve(grad, factor, upper)
    if not needs[1]:
        return for_b, None
    common = for_b @ result.mH
    common = common + common.mH
    return for_b, -(factor @ common) if upper else -(common @ factor)


@operator(
    formula="X with L·Lᴴ·X = B",
    saves="input2 result self upper",
    differentiable="self input2",
    joint=lambda grad, input2, result, upper, needs: cholesky_solve_backward(grad, input2, result, upper, needs),
)
def cholesky_solve(self: Any, input2: Any, upper: bool = False) -> Any:
    """Solves A·X = B with the triangle of a Cholesky factorisation of A; B's gradient is solved for in the same way.

    Raises:
        RuntimeError: shapes that do not go together.
    """
    for name, matrix in (("b", self), ("u", input2)):
        if matrix.ndim < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {matrix.ndim} dimensions instead")
    require_square("", input2)
    if input2.shape[-2] != self.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {input2.shape[-1]} by "
            f"{input2.shape[-1]} but each b matrix is {self.shape[-2]} by {self.shape[-1]}"
        )
    require_kernel("cholesky_solve_cpu", self)
    triangle, right = batched(wide(input2), wide(self))
    lower = adjoint(triangle) if upper else triangle
    return column_major(substitute(adjoint(lower), substitute(lower, right, False), True).astype(self.dtype))


def cholesky_inverse_backward(grad: Tensor, factor: Tensor, upper: bool, inverse: Tensor) -> Tensor:
    """``−A⁻¹·(G + Gᴴ)·A⁻¹·L``."""
    common = inverse @ ((grad + grad.mH) @ inverse)
    return -(factor @ common) if upper else -(common @ factor)


@operator(
    formula="(L·Lᴴ)⁻¹",
    saves="result self upper",
    self=lambda grad, self, upper, result: cholesky_inverse_backward(grad, self, upper, result),
)
def cholesky_inverse(self: Any, upper: bool = False) -> Any:
    """The inverse of A from its Cholesky triangle.

    Raises:
        RuntimeError: not square.
    """
    require_square("cholesky_inverse", self)
    require_kernel("cholesky_inverse_out_cpu", self)
    lower = adjoint(wide(self)) if upper else wide(self)
    eye = np.broadcast_to(np.eye(self.shape[-1], dtype=lower.dtype), lower.shape)
    return column_major(
        substitute(adjoint(np.tril(lower)), substitute(np.tril(lower), eye, False), True).astype(self.dtype)
    )
