"""``A = U·S·Vᴴ``: the singular value decomposition, its values, and what is counted or measured with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.results import result_type
from engine.ops.linear_algebra.inverses import tolerance
from engine.ops.linear_algebra.matrices import (
    column_major,
    require_floating,
    require_kernel,
    require_matrix,
    singular_values_of,
    wide,
)
from engine.tensor import Tensor


def skew(matrix: Tensor) -> Tensor:
    """``M − Mᴴ``."""
    return matrix - matrix.mH


def svd_backward(grads: Any, u: Tensor, s: Tensor, vh: Tensor, full: bool) -> Tensor | None:
    """How A must move for U, S and V to move (Townsend, *Differentiating the singular value decomposition*, 2016).

    Singular vectors turn against each other at a rate of one over the difference of squared singular values.

    Raises:
        RuntimeError: a complex loss that depends on the phase of the singular vectors.
    """
    count = s.shape[-1]
    grad_u, grad_s, grad_vh = grads
    if full:
        grad_u = None if grad_u is None else grad_u.narrow(-1, 0, count)
        grad_vh = None if grad_vh is None else grad_vh.narrow(-2, 0, count)
        u, vh = u.narrow(-1, 0, count), vh.narrow(-2, 0, count)
    if grad_u is None and grad_s is None and grad_vh is None:
        return None
    rows, columns = u.shape[-2], vh.shape[-1]
    if grad_u is None and grad_vh is None:
        return u @ (grad_s.unsqueeze(-1) * vh) if rows >= columns else (u * grad_s.unsqueeze(-2)) @ vh
    squares = s * s
    gaps = squares.unsqueeze(-2) - squares.unsqueeze(-1)
    gaps.diagonal(0, -2, -1).fill_(1.0)
    turn_u = None if grad_u is None else skew(u.mH @ grad_u)
    turn_v = None if grad_vh is None else skew(vh @ grad_vh.mH)
    if u.dtype.is_complex:
        check_phases(turn_u, turn_v)
    if turn_u is None:
        inner = s.unsqueeze(-1) * (turn_v / gaps)
    elif turn_v is None:
        inner = (turn_u / gaps) * s.unsqueeze(-2)
    else:
        inner = (turn_u * s.unsqueeze(-2) + s.unsqueeze(-1) * turn_v) / gaps
    if grad_s is not None:
        inner = inner + grad_s.diag_embed()
    if u.dtype.is_complex and turn_u is not None and turn_v is not None:
        inner = inner + (turn_u.diagonal(0, -2, -1) / (2 * s)).diag_embed()
    if rows > count and grad_u is not None:
        scaled = grad_u / s.unsqueeze(-2)
        return (u @ inner + scaled - u @ (u.mH @ scaled)) @ vh
    if columns > count and grad_vh is not None:
        scaled = grad_vh / s.unsqueeze(-1)
        return u @ (inner @ vh + scaled - (scaled @ vh.mH) @ vh)
    return u @ (inner @ vh) if rows >= columns else (u @ inner) @ vh


def check_phases(turn_u: Tensor | None, turn_v: Tensor | None) -> None:
    """Raises RuntimeError: the loss changes when singular vectors are turned by a phase, which leaves A as it is."""
    both = [t.diagonal(0, -2, -1).imag * 0.5 for t in (turn_u, turn_v) if t is not None]
    depends = both[0] if len(both) == 1 else both[0] + both[1]
    if depends.abs().gt(1e-2).any().item():
        raise RuntimeError(
            "svd_backward: The singular vectors in the complex case are specified up to multiplication by "
            "e^{i phi}. The specified loss function depends on this phase term, making it ill-defined."
        )


@operator(
    formula="U·S·Vᴴ = A", at="internal", name="_linalg_svd", outputs="U S Vh",
    saves="S S_sym_argsize_minus_1 U Vh full_matrices", undefined_gradients=True,
    A=lambda grads, U, S, Vh, full_matrices: svd_backward(grads, U, S, Vh, full_matrices),
)  # fmt: skip
def svd_operator(A: Any, full_matrices: bool = False, compute_uv: bool = True, *, driver: str | None = None) -> Any:
    """Splits A into a rotation, a stretching along the axes, and another rotation.

    Raises:
        RuntimeError: no matrix, whole numbers, or a driver.
    """
    require_matrix("linalg.svd", A)
    require_floating("linalg.svd", A)
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    require_kernel("linalg_svd_cpu", A)
    real = dtypes.BY_ARRAY[A.dtype].to_real().array
    if not compute_uv:
        return np.empty(0, A.dtype), singular_values_of(wide(A), compute_uv=False).astype(real), np.empty(0, A.dtype)
    u, s, vh = singular_values_of(wide(A), full_matrices)
    return column_major(u.astype(A.dtype)), s.astype(real), column_major(vh.astype(A.dtype))


SVD: dict[str, Any] = {
    "linalg": result_type("linalg_svd", ("U", "S", "Vh")),
    "torch": result_type("svd", ("U", "S", "V")),
}


@composite(at="linalg", name="svd")
def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """U, S and Vᴴ with U·diag(S)·Vᴴ = A, the largest singular value first."""
    return SVD["linalg"](svd_operator(A, full_matrices, driver=driver))


@composite(at="linalg")
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values, the largest first."""
    return values_of(A, driver)


def values_of(matrix: Tensor, driver: str | None = None) -> Tensor:
    """Singular values; their gradient needs the vectors, so these are computed if one will be asked for."""
    return svd_operator(matrix, False, needs_vectors(matrix), driver=driver)[1]


def needs_vectors(matrix: Tensor) -> bool:
    """Whether the call will be recorded."""
    return matrix.requires_grad and modes.grad_enabled


@composite()
def svd(self: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """The older spelling of ``linalg.svd``: returns V, not Vᴴ.

    Raises:
        RuntimeError: no matrix.
    """
    if self.ndim < 2:
        raise RuntimeError(
            "linalg.svd: input should have at least 2 dimensions, but has " + f"{self.ndim} dimensions instead"
        )
    if compute_uv:
        u, s, vh = svd_operator(self, not some)
        return SVD["torch"]((u, s, vh.mH))
    rows, columns = self.shape[-2:]
    s = values_of(self)
    return SVD["torch"](
        (self.new_zeros((*self.shape[:-2], rows, rows)), s, self.new_zeros((*self.shape[:-2], columns, columns)).mH)
    )


@composite(at="linalg")
def matrix_rank(
    input: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Tensor:
    """How many singular values are above the tolerance.

    Raises:
        RuntimeError: no matrix.
    """
    require_matrix("torch.linalg.matrix_rank", input._array, "input")
    tensor = TABLES["torch"]["tensor"]
    if input._array.dtype.kind not in "fc" or input._array.dtype.itemsize < 4:
        raise RuntimeError("This function doesn't handle types other than float and double")
    if not input._array.size:
        return TABLES["torch"]["zeros"](input.shape[:-2], dtype=tensor(0).dtype)
    array = wide(input._array)
    size = np.abs(np.linalg.eigvalsh(array)) if hermitian else singular_values_of(array, compute_uv=False)
    absolute, relative = (None if t is None else getattr(t, "_array", t) for t in (atol if tol is None else tol, rtol))
    if tol is not None and relative is None:
        relative = 0.0
    limit = np.asarray(tolerance(size.max(-1), input._array, absolute, relative))
    return tensor((size > limit[..., None]).sum(-1))
