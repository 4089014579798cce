"""Systems of equations ``A·X = B``, solved with the factors ``P·L·U`` of A that were found before."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.linear_algebra.factors import lu_solved
from engine.ops.linear_algebra.lu import lu_unpack
from engine.ops.linear_algebra.matrices import adjoint as conjugate_transposed
from engine.ops.linear_algebra.matrices import column_major, require_kernel, require_solvable, wide
from engine.tensor import Tensor


def lu_solve_backward(
    grad: Tensor, packed: Tensor, pivots: Tensor, result: Tensor, left: bool, adjoint: bool, needs: Any
) -> tuple[Tensor | None, Tensor]:
    """B's gradient solves the adjoint system; A's, ``−G_B·Xᴴ``, is split into those of L and U."""
    for_b = linalg_lu_solve(packed, pivots, grad, left=left, adjoint=not adjoint)
    if not needs[0]:
        return None, for_b
    if left:
        for_a = -(result @ for_b.mH) if adjoint else -(for_b @ result.mH)
    else:
        for_a = -(for_b.mH @ result) if adjoint else -(result.mH @ for_b)
    p, l, u = lu_unpack(packed, pivots)  # noqa: E741 (L)
    moved = p.mT @ for_a
    # L is unit triangular, so only what is strictly below the diagonal of its gradient counts.
    return (moved @ u.mH).tril(-1) + (l.mH @ moved).triu(), for_b


@operator(
    formula="X with A·X = B",
    at="linalg",
    name="lu_solve",
    grad_fn="LinalgLuSolveBackward0",
    saves="LU adjoint left pivots result",
    differentiable="LU B",
    joint=lambda grad, LU, pivots, result, left, adjoint, needs: lu_solve_backward(
        grad, LU, pivots, result, left, adjoint, needs
    ),
)
def linalg_lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    """Solves A·X = B with factors found before.

    Raises:
        RuntimeError: shapes or dtypes that do not go together.
    """
    require_solvable("linalg.lu_solve", LU, B, left)
    if pivots.dtype != np.int32:
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    require_kernel("lu_solve_cpu", LU)
    packed, right = wide(LU), wide(B)
    if left:
        return column_major(lu_solved(packed, pivots, right, adjoint).astype(LU.dtype))
    return np.ascontiguousarray(
        conjugate_transposed(lu_solved(packed, pivots, conjugate_transposed(right), not adjoint))
    ).astype(LU.dtype)


@composite(at="torch tensor")
def lu_solve(self: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """The older spelling of ``linalg.lu_solve``, with B first."""
    return linalg_lu_solve(LU_data, LU_pivots, self)
