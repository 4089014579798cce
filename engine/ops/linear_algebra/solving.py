"""Systems of equations ``A·X = B``: for square A, and for tensors seen as matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.results import result_type
from engine.ops.linear_algebra import two_by_two
from engine.ops.linear_algebra.factors import lu_packed, lu_solved
from engine.ops.linear_algebra.inverses import SINGULAR as NOT_INVERTIBLE
from engine.ops.linear_algebra.matrices import (
    adjoint,
    batched,
    check_infos,
    column_major,
    require_floating,
    require_solvable,
    wide,
)
from engine.tensor import Tensor

SINGULAR = "The solver failed because the input matrix is singular."


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
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case linalg.solve is "
            "equivalent to B / A.squeeze(-1)"
        )
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
    check_infos("torch.linalg.solve", info._array, SINGULAR)
    return result


SOLVE_EX: Any = result_type("linalg_solve_ex", ("result", "info"))


@composite(at="linalg")
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """The solution, and per matrix 0 or the pivot that was zero."""
    result, _, _, info = solve_ex_operator(A, B, left=left)
    if check_errors:
        check_infos("torch.linalg.solve_ex", info._array, SINGULAR)
    return SOLVE_EX((result, info))


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
    check_infos("linalg.tensorinv", info._array, NOT_INVERTIBLE)
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
