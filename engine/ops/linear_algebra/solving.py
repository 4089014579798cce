"""Systems of equations ``A·X = B``: for square, triangular and overdetermined A, and for tensors seen as matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.results import result_type
from engine.ops.linear_algebra import two_by_two
from engine.ops.linear_algebra.factors import lu_packed, lu_solved, substitute
from engine.ops.linear_algebra.matrices import (
    adjoint,
    batched,
    check_infos,
    column_major,
    require_floating,
    require_kernel,
    require_solvable,
    require_square,
    wide,
)
from engine.tensor import Tensor


def is_vector_side(a_shape: Any, b_shape: Any) -> bool:
    """Whether B stands for a batch of vectors: its shape is A's without the last dimension."""
    return len(b_shape) == 1 or (len(a_shape) - 1 == len(b_shape) and tuple(b_shape) == tuple(a_shape[:-1]))


def solve_backward(
    grad: Tensor, result: Tensor, a: Tensor, left: bool, needs: Any
) -> tuple[Tensor | None, Tensor | None]:
    """``G_B = A⁻ᴴ·G`` and ``G_A = −G_B·Xᴴ``."""
    vector = is_vector_side(a.shape, grad.shape)
    column = TABLES["linalg"]["solve"](a.mH, grad.unsqueeze(-1) if vector else grad, left=left)
    for_b = column.squeeze(-1) if vector else column
    if not needs[0]:
        return None, for_b
    solution = result.unsqueeze(-1) if vector else result
    return -(column @ solution.mH) if left else -(solution.mH @ column), for_b


@operator(
    formula="X with A·X = B",
    at="internal",
    name="_linalg_solve_ex",
    outputs="result LU pivots info",
    nondifferentiable=(1, 2, 3),
    saves="A LU left pivots result",
    differentiable="A B",
    joint=lambda grads, A, result, left, needs: solve_backward(grads[0], result, A, left, needs),
)
def solve_ex_operator(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """Finds X with A·X = B; B's gradient solves the transposed system, and A's is minus that times Xᵀ.

    Raises:
        RuntimeError: shapes or dtypes that do not go together.
    """
    require_floating("linalg.solve", A)
    vector = is_vector_side(A.shape, B.shape)
    right = B[..., None] if vector else B
    require_solvable("linalg.solve", A, right, left)
    if vector and not left:
        raise RuntimeError("linalg.solve: Vector broadcasting of the left hand side is not supported for left=False.")
    one, two = batched(wide(A), wide(right))
    packed, pivots, infos = lu_packed(one, True)
    if left and A.shape[-1] == 2 and A.dtype.kind == "f" and not infos.any():
        solution = two_by_two.solved(*batched(A, right))
    else:
        solution = lu_solved(packed, pivots, two) if left else adjoint(lu_solved(packed, pivots, adjoint(two), True))
    solution = solution.astype(A.dtype)
    solution = (
        grouped(solution[..., 0]) if vector else column_major(solution) if left else np.ascontiguousarray(solution)
    )
    return solution, column_major(packed.astype(A.dtype)), pivots, infos


def grouped(vectors: Any) -> Any:
    """A batch of solutions laid out as PyTorch leaves it: as if the last two dimensions were one matrix."""
    return column_major(vectors) if vectors.ndim > 1 else vectors


@composite(at="linalg")
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The X with A·X = B (X·A = B if not ``left``).

    Raises:
        LinAlgError: A is singular.
    """
    result, _, _, info = solve_ex_operator(A, B, left=left)
    check_infos("torch.linalg.solve", info._array, "The solver failed because the input matrix is singular.")
    return result


SOLVE_EX: Any = result_type("linalg_solve_ex", ("result", "info"))


@composite(at="linalg")
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """The solution, and per matrix 0 or the pivot that was zero."""
    result, _, _, info = solve_ex_operator(A, B, left=left)
    if check_errors:
        check_infos("torch.linalg.solve_ex", info._array, "The solver failed because the input matrix is singular.")
    return SOLVE_EX((result, info))


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


@composite(at="linalg")
def tensorinv(self: Tensor, ind: int = 2) -> Tensor:
    """The inverse of a tensor seen as a matrix: its first ``ind`` dimensions against the others.

    Raises:
        RuntimeError: the two sides have different numbers of elements.
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    shape = tuple(self.shape)
    rows, columns = math.prod(shape[:ind]), math.prod(shape[ind:])
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )
    inverse, info = TABLES["internal"]["linalg_inv_ex"](self.reshape(rows, columns))
    check_infos(
        "linalg.tensorinv",
        info._array,
        "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular.",
    )
    return inverse.reshape(*shape[ind:], *shape[:ind])


@composite(at="linalg")
def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    """The X with ``tensordot(A, X) = B``; ``dims`` of A are moved to its end first.

    Raises:
        RuntimeError: A does not have as many elements per side as B.
    """
    if dims is not None:
        A = A.movedim(list(dims), list(range(A.ndim - len(dims), A.ndim)))
    shape = tuple(A.shape[B.ndim :])
    columns, rows = math.prod(shape), B.numel()
    if columns != rows:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {columns} != {rows}"
        )
    return solve(A.reshape(columns, columns), B.flatten()).reshape(shape)
