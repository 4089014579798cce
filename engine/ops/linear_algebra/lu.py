"""``A = P·L·U``: the factors, and their packed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.results import result_type
from engine.ops.linear_algebra.factors import lu_packed, permutation, unpacked
from engine.ops.linear_algebra.matrices import check_infos, column_major, require_kernel, wide
from engine.tensor import Tensor
from engine.warned import warn_once

ZERO_PIVOT = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the "
    "factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)


def require_pivoting(pivot: bool) -> None:
    """Raises RuntimeError: elimination without row exchanges is asked for, which PyTorch has on GPUs only."""
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def lu_backward(grad_l: Tensor | None, grad_u: Tensor | None, p: Tensor | None, l: Tensor, u: Tensor) -> Tensor:  # noqa: E741 (L)
    """A's gradient from those of L and U: ``P·L⁻ᴴ·[tril₋₁(Lᴴ·G_L) + triu(G_U·Uᴴ)]·U⁻ᴴ`` for a square A.

    A wide U or a tall L adds what stands beside the square part before the last system is solved.
    """
    rows, columns = l.shape[-2], u.shape[-1]
    if rows == columns:
        lower = None if grad_l is None else (l.mH @ grad_l).tril(-1)
        upper = None if grad_u is None else (grad_u @ u.mH).triu()
        result = under_l(l, beside_u(u, together(lower, upper)))
    elif rows < columns:
        lower = None if grad_l is None else l.mH @ grad_l
        inner = less(lower, None if grad_u is None else grad_u.triu() @ u.mH).tril(-1)
        inner = beside_u(u.narrow(-1, 0, rows), inner)
        if grad_u is None:
            inner = under_l(l, inner)
            result = joined(inner, inner.new_zeros((*inner.shape[:-1], columns - rows)), -1)
        else:
            head, rest = grad_u.narrow(-1, 0, rows), grad_u.narrow(-1, rows, columns - rows)
            result = under_l(l, joined(inner + head.triu(), rest, -1))
    else:
        upper = None if grad_u is None else grad_u @ u.mH
        inner = less(upper, None if grad_l is None else l.mH @ grad_l.tril(-1)).triu()
        inner = under_l(l.narrow(-2, 0, columns), inner)
        if grad_l is None:
            inner = beside_u(u, inner)
            result = joined(inner, inner.new_zeros((*inner.shape[:-2], rows - columns, columns)), -2)
        else:
            head, rest = grad_l.narrow(-2, 0, columns), grad_l.narrow(-2, columns, rows - columns)
            result = beside_u(u, joined(inner + head.tril(-1), rest, -2))
    return result if p is None else p @ result


def under_l(l: Tensor, right: Tensor) -> Tensor:  # noqa: E741 (L)
    """``L⁻ᴴ · right``."""
    solved: Tensor = TABLES["linalg"]["solve_triangular"](l.mH, right, upper=True, unitriangular=True)
    return solved


def beside_u(u: Tensor, left: Tensor) -> Tensor:
    """``left · U⁻ᴴ``."""
    solved: Tensor = TABLES["linalg"]["solve_triangular"](u.mH, left, upper=False, left=False)
    return solved


def together(one: Tensor | None, other: Tensor | None) -> Tensor:
    """The sum of what is there; one of the two is."""
    if one is None or other is None:
        found = other if one is None else one
        assert found is not None
        return found
    return one + other


def less(one: Tensor | None, other: Tensor | None) -> Tensor:
    """``one − other``, of what is there; one of the two is."""
    if other is None:
        assert one is not None
        return one
    return -other if one is None else one - other


def joined(first: Tensor, second: Tensor, dim: int) -> Tensor:
    """Both side by side."""
    made: Tensor = TABLES["torch"]["cat"]([first, second], dim)
    return made


@operator(
    formula="P·L·U = A",
    at="internal",
    name="linalg_lu",
    outputs="P L U",
    nondifferentiable=(0,),
    saves="L P U pivot",
    undefined_gradients=True,
    A=lambda grads, P, L, U, pivot: lu_backward(grads[0], grads[1], P if pivot else None, L, U),
)
def lu_operator(A: Any, *, pivot: bool = True) -> Any:
    """Splits A into a lower and an upper triangle, after exchanging rows.

    Raises:
        RuntimeError: no matrix.
    """
    if A.ndim < 2:
        raise RuntimeError(f"linalg.lu: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead")
    require_kernel("lu_cpu", A)
    require_pivoting(pivot)
    packed, pivots, _ = lu_packed(wide(A), pivot)
    lower, upper = unpacked(packed)
    exchange = permutation(pivots, A.shape[-2], A.dtype) if pivot else np.empty(0, A.dtype)
    return exchange, lower.astype(A.dtype), upper.astype(A.dtype)


@composite(at="linalg")
def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """P, L and U with P·L·U = A; without ``pivot`` no rows are exchanged and P is empty."""
    return lu_operator(A, pivot=pivot)


def lu_factor_backward(grad: Tensor, packed: Tensor, pivots: Tensor, pivot: bool) -> Tensor:
    """Both triangles' gradients out of the packed one."""
    p, l, u = lu_unpack(packed, pivots, unpack_pivots=pivot)  # noqa: E741 (L)
    steps = min(packed.shape[-2:])
    return lu_backward(grad.narrow(-1, 0, steps), grad.narrow(-2, 0, steps), p if pivot else None, l, u)


@operator(
    formula="L and U packed into one matrix",
    at="internal",
    name="linalg_lu_factor_ex",
    outputs="LU pivots info",
    nondifferentiable=(1, 2),
    saves="LU pivot pivots",
    A=lambda grads, LU, pivots, pivot: lu_factor_backward(grads[0], LU, pivots, pivot),
)
def lu_factor_operator(A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """L and U in one matrix, and the row exchanges.

    Raises:
        RuntimeError: no matrix.
        LinAlgError: a zero pivot, with ``check_errors``.
    """
    if A.ndim < 2:
        raise RuntimeError(
            f"torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead"
        )
    require_kernel("lu_cpu", A)
    require_pivoting(pivot)
    packed, pivots, infos = lu_packed(wide(A), pivot)
    if check_errors:
        check_infos("torch.linalg.lu_factor_ex", infos, ZERO_PIVOT)
    return column_major(packed.astype(A.dtype)), pivots, infos


@composite(at="linalg")
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """The packed factors, the row exchanges, and per matrix 0 or the first zero pivot."""
    return lu_factor_operator(A, pivot=pivot, check_errors=check_errors)


LU_FACTOR: Any = result_type("linalg_lu_factor", ("LU", "pivots"))


@composite(at="linalg")
def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """The packed factors and the row exchanges.

    Raises:
        RuntimeError: a zero pivot.
    """
    packed, pivots, info = lu_factor_operator(A, pivot=pivot)
    check_infos("torch.linalg.lu_factor", info._array, ZERO_PIVOT, RuntimeError)
    return LU_FACTOR((packed, pivots))


LU: Any = result_type("linalg_lu_factor_ex", ("LU", "pivots", "info"))


@composite(at="torch tensor", name="lu")
def old_lu(self: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """The older spelling of ``linalg.lu_factor``, which lets zero pivots pass."""
    warn_once(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be "
        "removed in a future PyTorch release.",
        stacklevel=3,
    )
    packed, pivots, info = lu_factor_operator(self, pivot=pivot)
    return LU((packed, pivots, info)) if get_infos else (packed, pivots)


def lu_unpack_backward(grads: Any, rows: int, columns: int) -> Tensor | None:
    """Each triangle's gradient back in its place; what stands beside the square part belongs to one of them alone."""
    lower, upper = grads
    steps = min(rows, columns)
    if lower is None and upper is None:
        return None
    if lower is None:
        upper = upper.triu()
        return (
            upper if rows <= columns else joined(upper, upper.new_zeros((*upper.shape[:-2], rows - steps, columns)), -2)
        )
    if upper is None:
        lower = lower.tril(-1)
        return lower if rows >= columns else joined(lower, lower.new_zeros((*lower.shape[:-1], columns - steps)), -1)
    if rows == columns:
        return lower.tril(-1) + upper.triu()
    if rows < columns:
        head, rest = upper.narrow(-1, 0, steps), upper.narrow(-1, steps, columns - steps)
        return joined(lower.tril(-1) + head.triu(), rest, -1)
    head, rest = lower.narrow(-2, 0, steps), lower.narrow(-2, steps, rows - steps)
    return joined(head.tril(-1) + upper.triu(), rest, -2)


@operator(
    formula="P, L, U",
    at="torch",
    outputs="P L U",
    nondifferentiable=(0,),
    undefined_gradients=True,
    LU_data=lambda grads, LU_data_sym_argsize_minus_2, LU_data_sym_argsize_minus_1: lu_unpack_backward(
        grads, LU_data_sym_argsize_minus_2, LU_data_sym_argsize_minus_1
    ),
)
def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """The three factors out of the packed form; the triangles get their parts of the gradient.

    Raises:
        RuntimeError: pivots of another dtype than int32.
    """
    if unpack_pivots and LU_pivots.dtype != np.int32:
        raise RuntimeError("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.")
    nothing = np.empty(0, LU_data.dtype)
    lower, upper = unpacked(LU_data) if unpack_data else (nothing, nothing)
    return permutation(LU_pivots, LU_data.shape[-2], LU_data.dtype) if unpack_pivots else nothing, lower, upper
