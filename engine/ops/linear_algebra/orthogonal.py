"""``A = Q·R`` with orthonormal Q."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.results import result_type
from engine.ops.core.unimplemented import unimplemented
from engine.ops.linear_algebra import householder
from engine.ops.linear_algebra.lu import beside_u
from engine.ops.linear_algebra.matrices import (
    column_major,
    require_floating,
    require_kernel,
    require_matrix,
    wide,
)
from engine.tensor import Tensor
from engine.warned import warn_once


def qr_backward(grad_q: Tensor | None, grad_r: Tensor | None, q: Tensor, r: Tensor, mode: str) -> Tensor | None:
    """``(G_Q + Q·(M + Mᴴ))·R⁻ᴴ`` with M the strict upper triangle (and half the diagonal) of ``G_R·Rᴴ − Qᴴ·G_Q`` for a tall A
    (Walter, Lehmann and Lamour, 2012).

    A wide A = [X Y] has X's gradient from the antisymmetric part of the same, and Q·G_R beside.

    Raises:
        RuntimeError: a mode in which the result does not determine a derivative.
    """
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
        )
    rows, columns = q.shape[-2], r.shape[-1]
    if mode == "complete" and rows > columns:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols. Please use "
            "mode='reduced' instead."
        )
    if grad_q is None and grad_r is None:
        return None
    inner = difference_of_turns(grad_q, grad_r, q, r)
    if columns > rows:
        turned = -inner
        lower = (turned - turned.mH).tril()
        if lower.dtype.is_complex:
            lower.diagonal(0, -2, -1).mul_(0.5)
        square = beside_u(r.narrow(-1, 0, rows), q @ lower)
        whole = TABLES["torch"]["cat"]([square, square.new_zeros((*square.shape[:-1], columns - rows))], -1)
        return whole if grad_r is None else whole + q @ grad_r
    upper = inner.triu()
    mirrored = upper + upper.mH
    mirrored.diagonal(0, -2, -1).mul_(0.5)
    result = q @ mirrored
    return beside_u(r, result if grad_q is None else result + grad_q)


def difference_of_turns(grad_q: Tensor | None, grad_r: Tensor | None, q: Tensor, r: Tensor) -> Tensor:
    """``G_R·Rᴴ − Qᴴ·G_Q``, of what is there."""
    inner = None if grad_r is None else grad_r @ r.mH
    if grad_q is None:
        assert inner is not None
        return inner
    turned = q.mH @ grad_q
    return -turned if inner is None else inner - turned


@operator(
    formula="Q·R = A",
    at="internal",
    name="linalg_qr",
    outputs="Q R",
    saves="Q R mode",
    undefined_gradients=True,
    A=lambda grads, Q, R, mode: qr_backward(grads[0], grads[1], Q, R, mode),
)
def qr_operator(A: Any, mode: Any = "reduced") -> Any:
    """Splits A into orthonormal columns and an upper triangle.

    Raises:
        RuntimeError: no matrix, whole numbers, or an unknown mode.
    """
    require_matrix("linalg.qr", A)
    require_floating("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    require_kernel("geqrf_cpu", A)
    if householder.runs_unblocked(A):
        q, r = householder.qr(A, mode)
        return (column_major(q) if q.ndim > 1 else q), column_major(r)
    if mode == "r":
        return np.empty(0, A.dtype), column_major(np.linalg.qr(wide(A), "r")).astype(A.dtype)
    q, r = np.linalg.qr(wide(A), mode)
    return column_major(q.astype(A.dtype)), column_major(r.astype(A.dtype))


@composite(at="linalg", name="qr")
def linalg_qr(A: Tensor, mode: str = "reduced") -> Any:
    """Q and R with Q·R = A; ``complete`` makes Q square, ``r`` leaves it out."""
    return qr_operator(A, mode)


QR: Any = result_type("qr", ("Q", "R"))


@composite()
def qr(self: Tensor, some: bool = True) -> Any:
    """The older spelling of ``linalg.qr``."""
    warn_once(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.",
        stacklevel=3,
    )
    return QR(qr_operator(self, "reduced" if some else "complete"))


@operator(formula="reflections of A", outputs="a tau", **unimplemented("geqrf", "self", ""))
def geqrf(self: Any) -> Any:
    """QR as LAPACK leaves it, R on and above the diagonal. PyTorch gives it no derivative."""
    require_matrix("torch.geqrf", self, "input")
    require_kernel("geqrf_cpu", self)
    if householder.runs_unblocked(self):
        packed, factors = householder.factorise(self)
        return column_major(packed), factors
    packed, factors = np.linalg.qr(wide(self), "raw")
    return column_major(packed.swapaxes(-1, -2).astype(self.dtype)), factors.astype(self.dtype)
