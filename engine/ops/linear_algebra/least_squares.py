"""``min ‖A·X − B‖``: least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.dtype_names import scalar_type
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import common_shape
from engine.ops.linear_algebra.inverses import pinv_backward
from engine.ops.linear_algebra.matrices import adjoint, require_kernel, singular_values_of, wide
from engine.ops.linear_algebra.solving import is_vector_side
from engine.tensor import Tensor

DRIVERS = ("gels", "gelsy", "gelsd", "gelss")
"""LAPACK's routines: the first assumes full rank, the last two compute singular values."""


def lstsq_backward(
    grads: Any, a: Tensor, b: Tensor, solution: Tensor, needs: Any
) -> tuple[Tensor | None, Tensor | None]:
    """Through the solution, which is ``A⁺·B``, and through the squared residuals."""
    grad_solution, grad_residuals = grads[0], grads[1]
    vector = is_vector_side(a.shape, b.shape)
    right, found = (b.unsqueeze(-1), solution.unsqueeze(-1)) if vector else (b, solution)
    for_a = for_b = None
    if grad_solution is not None:
        grad = grad_solution.unsqueeze(-1) if vector else grad_solution
        pseudo = TABLES["linalg"]["pinv"](a)
        if needs[0]:
            for_a = pinv_backward(grad @ right.mH, pseudo, a)
        for_b = pseudo.mH @ grad
    if grad_residuals is not None and grad_residuals.numel():
        rest = (right - a @ found) * (2 * grad_residuals).unsqueeze(-2)
        for_b = rest if for_b is None else for_b + rest
        part = -(rest @ found.mH)
        for_a = part if for_a is None else for_a + part
    if vector and for_b is not None:
        for_b = for_b.squeeze(-1)
    return for_a if needs[0] else None, for_b if needs[1] else None


@operator(
    formula="X with ‖A·X − B‖ smallest",
    at="internal",
    name="linalg_lstsq",
    outputs="solution residuals rank singular_values",
    nondifferentiable=(2, 3),
    saves="b self solution",
    differentiable="self b",
    undefined_gradients=True,
    joint=lambda grads, self, b, solution, needs: lstsq_backward(grads, self, b, solution, needs),
)
def lstsq_operator(self: Any, b: Any, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The X for which A·X comes closest to B.

    Raises:
        RuntimeError: shapes or dtypes that do not go together, or an unknown driver.
    """
    check_lstsq(self, b, driver)
    chosen = driver or "gelsy"
    require_kernel("linalg_lstsq_cpu", self)
    vector = is_vector_side(self.shape, b.shape)
    one, two = wide(self), wide(b[..., None] if vector else b)
    rows, columns = one.shape[-2:]
    batch = common_shape(one.shape[:-2], two.shape[:-2])
    real = dtypes.BY_ARRAY[self.dtype].to_real().array
    limit = np.finfo(real).eps * max(rows, columns) if rcond is None else rcond
    if one.size and two.size:
        u, s, vh = singular_values_of(one, full_matrices=False)
        kept = s > limit * s.max(-1, keepdims=True)
        inverse = np.where(kept, 1 / np.where(s == 0, 1, s), 0)
        solution = adjoint(vh) @ (inverse[..., None] * (adjoint(u) @ two))
        ranks = kept.sum(-1)
    else:
        solution, s, ranks = (
            np.zeros((*batch, columns, two.shape[-1]), one.dtype),
            np.zeros((*one.shape[:-2], min(rows, columns))),
            np.zeros(one.shape[:-2], np.int64),
        )
    residuals = np.empty(0, real)
    if chosen != "gelsy" and rows > columns and (ranks == columns).all():
        difference = one @ solution - two
        residuals = (np.abs(difference) ** 2).sum(-2).astype(real)
        residuals = residuals[..., 0] if vector and batch else residuals
    solution = solution.astype(self.dtype)
    return (
        solution[..., 0] if vector else in_place_of_b(solution, rows),
        residuals,
        np.asarray(ranks, np.int64) if chosen != "gels" else np.empty(0, np.int64),
        s.astype(real) if chosen in ("gelsd", "gelss") else np.empty(0, real),
    )


def in_place_of_b(solution: Any, rows: int) -> Any:
    """The solution laid out as LAPACK leaves it: at the top of each column of B, which has A's number of rows."""
    *batch, columns, count = solution.shape
    room = np.zeros((*batch, count, max(rows, columns)), solution.dtype).swapaxes(-1, -2)
    room[..., :columns, :] = solution
    return room[..., :columns, :]


def check_lstsq(a: Any, b: Any, driver: str | None) -> None:
    """Raises RuntimeError: shapes or dtypes that do not go together, or an unknown driver."""
    if a.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    if b.ndim < 1:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    if a.dtype != b.dtype:
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
            f"{scalar_type(a)} and other's dtype {scalar_type(b)}"
        )
    if driver is not None and driver not in DRIVERS:
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if not 0 <= a.ndim - b.ndim <= 1:
        raise RuntimeError(
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        )
    vector = is_vector_side(a.shape, b.shape)
    if a.shape[-2] != b.shape[-1 if vector else -2]:
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({-1 if vector else -2})")


@composite(at="linalg")
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """Solution, squared residuals, rank and singular values of a least-squares problem."""
    return lstsq_operator(A, B, rcond, driver=driver)
