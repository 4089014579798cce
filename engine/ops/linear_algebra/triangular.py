"""Systems of equations ``T·X = B`` for a triangular T, solved row after row."""

from __future__ import annotations

from typing import Any

from engine.ops.core.declare import operator
from engine.ops.linear_algebra.factors import substitute
from engine.ops.linear_algebra.matrices import (
    batched,
    column_major,
    require_kernel,
    require_solvable,
    require_square,
    wide,
)
from engine.tensor import Tensor


def triangle(matrix: Tensor, upper: bool, unit: bool) -> Tensor:
    """The part of a gradient that a triangular solver reads."""
    return matrix.triu(1 if unit else 0) if upper else matrix.tril(-1 if unit else 0)


def solve_triangular_backward(
    grad: Tensor, a: Tensor, result: Tensor, upper: bool, left: bool, unit: bool, needs: Any
) -> tuple[Tensor | None, Tensor]:
    """As for ``solve``, with A's gradient cut to its triangle."""
    for_b = solve_triangular(a.mH, grad, upper=not upper, left=left, unitriangular=unit)
    if not needs[0]:
        return None, for_b
    for_a = -(for_b @ result.mH) if left else -(result.mH @ for_b)
    return triangle(for_a, upper, unit), for_b


@operator(
    formula="X with T·X = B",
    at="linalg",
    name="solve_triangular",
    grad_fn="LinalgSolveTriangularBackward0",
    saves="left result self unitriangular upper",
    differentiable="self B",
    renamed={"A": "self"},
    joint=lambda grad, self, result, upper, left, unitriangular, needs: solve_triangular_backward(
        grad, self, result, upper, left, unitriangular, needs
    ),
)
def solve_triangular(self: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """Finds X with T·X = B for a triangular T (or X·T = B); outside of that triangle the gradient is zero.

    Raises:
        RuntimeError: shapes or dtypes that do not go together.
    """
    require_solvable("linalg.solve_triangular", self, B, left)
    require_kernel("triangular_solve_cpu", self)
    one, two = wide(self), wide(B)
    if left:
        return column_major(substitute(one, two, upper, unitriangular).astype(self.dtype))
    solved = substitute(one.swapaxes(-1, -2), two.swapaxes(-1, -2), not upper, unitriangular)
    return column_major(solved.swapaxes(-1, -2).astype(self.dtype))


def triangular_solve_backward(
    grads: Any, b: Tensor, a: Tensor, solution: Tensor, upper: bool, transpose: bool, unit: bool, needs: Any
) -> tuple[Tensor | None, Tensor | None]:
    """Both outputs' parts: the solution's, and the untouched copy of A."""
    grad, passed = grads
    for_b = for_a = None
    if grad is not None:
        for_b, _ = triangular_solve(grad, a.conj(), upper, not transpose, unit)
        if needs[1]:
            for_a = -(solution.conj() @ for_b.mT) if transpose else -(for_b @ solution.mH)
            for_a = triangle(for_a, upper, unit)
    if passed is not None:
        for_a = passed if for_a is None else for_a + passed
    return for_b if needs[0] else None, for_a


@operator(
    formula="X with T·X = B",
    outputs="solution cloned_coefficient",
    saves="A self solution transpose unitriangular upper",
    undefined_gradients=True,
    differentiable="self A",
    joint=lambda grads, self, A, solution, upper, transpose, unitriangular, needs: triangular_solve_backward(
        grads, self, A, solution, upper, transpose, unitriangular, needs
    ),
)
def triangular_solve(
    self: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """Finds X with T·X = B for a triangular T, and returns a copy of T beside it; outside of that triangle T's gradient
    is zero.

    Raises:
        RuntimeError: shapes that do not go together.
    """
    for name, matrix in (("b", self), ("A", A)):
        if matrix.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {matrix.ndim} "
                "dimensions instead"
            )
    require_square("", A)
    if A.shape[-2] != self.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for triangular_solve: each A matrix is {A.shape[-1]} by {A.shape[-1]} but "
            f"each b matrix is {self.shape[-2]} by {self.shape[-1]}"
        )
    require_kernel("triangular_solve_cpu", self)
    one, two = batched(wide(A), wide(self))
    solved = (
        substitute(one.swapaxes(-1, -2), two, not upper, unitriangular)
        if transpose
        else substitute(one, two, upper, unitriangular)
    )
    return column_major(solved.astype(self.dtype)), column_major(one.astype(A.dtype))
