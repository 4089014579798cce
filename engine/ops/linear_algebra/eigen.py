"""Eigenvalues and eigenvectors, of symmetric (Hermitian) matrices and of any."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.dtype_names import scalar_type
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.results import result_type
from engine.ops.linear_algebra.matrices import column_major, require_kernel, require_square, wide
from engine.tensor import Tensor


def eigen_backward(grads: Any, values: Tensor, vectors: Tensor, hermitian: bool) -> Tensor | None:
    """``V⁻ᴴ·[diag(G_λ) + (Vᴴ·G_V − …)/(λⱼ − λᵢ)]·Vᴴ`` (Giles, *Collected matrix derivative results*, 2008).

    Raises:
        RuntimeError: a loss that depends on the phase of the eigenvectors.
    """
    grad_values, grad_vectors = grads
    if grad_values is None and grad_vectors is None:
        return None
    solve = TABLES["linalg"]["solve"]
    if grad_vectors is None:
        if hermitian:
            return (vectors * grad_values.unsqueeze(-2)) @ vectors.mH
        return solve(vectors.mH, grad_values.unsqueeze(-1) * vectors.mH)
    turned = vectors.mH @ grad_vectors
    along = turned.diagonal(0, -2, -1)
    if vectors.dtype.is_complex:
        check_phase(along, hermitian)
    inner = (turned - turned.mH) * 0.5 if hermitian else turned - vectors.mH @ (vectors * along.real.unsqueeze(-2))
    values = values.conj()
    gaps = values.unsqueeze(-2) - values.unsqueeze(-1)
    gaps.diagonal(0, -2, -1).fill_(1.0)
    inner = inner / gaps
    if grad_values is not None:
        inner.diagonal(0, -2, -1).copy_(grad_values)
    if not hermitian:
        return solve(vectors.mH, inner @ vectors.mH)
    return vectors @ (inner @ vectors.mH)


def check_phase(along: Tensor, hermitian: bool) -> None:
    """Raises RuntimeError: the loss changes when an eigenvector is turned by a phase, which leaves it an
    eigenvector.
    """
    if along.imag.abs().gt(1e-2).any().item():
        name = "linalg_eigh_backward" if hermitian else "linalg_eig_backward"
        raise RuntimeError(
            f"{name}: The eigenvectors in the complex case are specified up to multiplication by e^{{i phi}}. The "
            "specified loss function depends on this quantity, so it is ill-defined."
        )


def real_if_real(gradient: Tensor | None, dtype: Any) -> Tensor | None:
    """A real matrix has a real gradient."""
    return gradient.real if gradient is not None and not dtype.is_complex else gradient


@operator(
    formula="A·v = λ·v",
    at="internal",
    name="linalg_eig",
    outputs="eigenvalues eigenvectors",
    undefined_gradients=True,
    saves="eigenvalues eigenvectors",
    self=lambda grads, eigenvalues, eigenvectors, self_dtype: real_if_real(
        eigen_backward(grads, eigenvalues, eigenvectors, False), self_dtype
    ),
)
def eig_operator(self: Any) -> Any:
    """The directions that A only stretches, and by how much (always complex).

    Raises:
        RuntimeError: not square.
    """
    check_eig("linalg.eig", self)
    if not np.isfinite(self).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    target = dtypes.BY_ARRAY[self.dtype].to_complex().array
    values, vectors = np.linalg.eig(wide(self))
    return values.astype(target), column_major(vectors.astype(target))


def check_eig(name: str, matrix: Any) -> None:
    """Raises RuntimeError: not square, or numbers that have no complex counterpart; NotImplementedError: half precision."""
    require_square(name, matrix)
    if matrix.dtype.kind not in "fcV":
        raise RuntimeError(f"Unknown Complex ScalarType for {scalar_type(matrix)}")
    require_kernel("linalg_eig_out_cpu", matrix)


@composite(at="linalg")
def eig(self: Tensor) -> Any:
    """Eigenvalues and eigenvectors of any square matrix; both complex."""
    return eig_operator(self)


@operator(formula="λ", at="internal", name="linalg_eigvals")
def eigvals_operator(self: Any) -> Any:
    """Eigenvalues without vectors, for calls that nobody derives."""
    check_eig("linalg.eigvals", self)
    if not np.isfinite(self).all():
        return np.full(self.shape[:-1], complex(np.nan, np.nan), dtypes.BY_ARRAY[self.dtype].to_complex().array)
    return np.linalg.eigvals(wide(self)).astype(dtypes.BY_ARRAY[self.dtype].to_complex().array)


@composite(at="linalg")
def eigvals(self: Tensor) -> Tensor:
    """Eigenvalues of any square matrix, always complex."""
    check_eig("linalg.eigvals", self._array)
    recorded = self.requires_grad and modes.grad_enabled
    return eig_operator(self)[0] if recorded else eigvals_operator(self)


@operator(
    formula="A·v = λ·v",
    at="internal",
    name="_linalg_eigh",
    outputs="eigenvalues eigenvectors",
    undefined_gradients=True,
    saves="eigenvalues eigenvectors",
    A=lambda grads, eigenvalues, eigenvectors: eigen_backward(grads, eigenvalues, eigenvectors, True),
)
def eigh_operator(A: Any, UPLO: Any = "L", compute_v: bool = True) -> Any:
    """The axes of a symmetric matrix, at right angles to each other, and its stretching along them.

    Raises:
        RuntimeError: not square, or an unknown triangle.
    """
    require_square("linalg.eigh", A)
    if not isinstance(UPLO, str) or UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    require_kernel("linalg_eigh_cpu", A)
    which: Any = UPLO.upper()
    real = dtypes.BY_ARRAY[A.dtype].to_real().array
    if not compute_v:
        return np.linalg.eigvalsh(wide(A), which).astype(real), np.empty(0, A.dtype)
    values, vectors = np.linalg.eigh(wide(A), which)
    return values.astype(real), column_major(vectors.astype(A.dtype))


EIGH: Any = result_type("linalg_eigh", ("eigenvalues", "eigenvectors"))


@composite(at="linalg")
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues (ascending) and eigenvectors of a symmetric or Hermitian matrix."""
    return EIGH(eigh_operator(A, UPLO))


@composite(at="linalg")
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Eigenvalues of a symmetric or Hermitian matrix, ascending."""
    return eigh_operator(A, UPLO, A.requires_grad and modes.grad_enabled)[0]
