"""``torch.lobpcg``: some of the largest or smallest eigenpairs of a symmetric matrix.

PyTorch nears them step by step, since its matrices may be huge. Here they are taken from the whole spectrum at once: exact, whatever
``niter`` and ``tol`` say. Derivatives are those of the pairs that were chosen, by the rest of the spectrum.
"""

from __future__ import annotations

from typing import Any

from engine import dtype as dtypes
from engine.autograd.function import Function
from engine.dtype_names import C_TYPE
from engine.errors import NotHere, explained
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:
    """Eigenvalues (…, k) and vectors (…, m, k) of ``A x = λ x``, or of ``A x = λ B x`` with a positive definite ``B``.

    Args:
        A: symmetric matrices (…, m, m).
        k, n: how many pairs; ``X`` has the word if it is given, then ``n``.
        X: where PyTorch starts from (…, m, n); only its width matters here.
        largest: the largest first, or else the smallest.
        iK, niter, tol, method, ortho_iparams, ortho_fparams, ortho_bparams: how PyTorch gets there.
        tracker: would be called at every step, of which there are none.

    Raises:
        AssertionError: ``A`` is not square.
        ValueError: there are fewer than three times as many rows as pairs.
        RuntimeError: the numbers are whole or complex.
    """
    if tracker is not None:
        raise NotHere(
            explained("torch.lobpcg has no steps to track here", "The pairs are computed at once: leave tracker out.")
        )
    if A.requires_grad or (B is not None and B.requires_grad):
        symmetric = None if B is None else (B + B.mT) / 2
        pairs: tuple[Tensor, Tensor] = LOBPCGAutogradFunction.apply((A + A.mT) / 2, k, symmetric, X, n, largest)
        return pairs
    return chosen(A, k, B, X, n, largest)


def chosen(A: Tensor, k: int | None, B: Tensor | None, X: Tensor | None, n: int | None, largest: bool | None) -> Any:
    """The eigenvalues and vectors that were asked for.

    Raises:
        AssertionError: A is not square.
        ValueError: A has too few rows for so many pairs.
        RuntimeError: whole or complex numbers.
    """
    linalg, torch = TABLES["linalg"], TABLES["torch"]
    rows = A.shape[-1]
    if A.shape[-2] != rows:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    k = (1 if X is None else X.shape[-1]) if k is None else k
    width = k if n is None else n
    if X is not None:
        width = X.shape[-1]
    if rows < 3 * width:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={rows}) is smaller than 3 x the number of requested "
            f"eigenpairs (={width})"
        )
    if A.dtype.category != dtypes.FLOAT:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {C_TYPE[A.dtype.name]} != float")
    if X is None:
        torch["randn"](*A.shape[:-1], width, dtype=A.dtype)  # where PyTorch starts from: the generator goes on
    if B is None:
        values, vectors = linalg["eigh"](A)
    else:
        factor = linalg["cholesky"](B)
        inner = linalg["solve_triangular"](factor, linalg["solve_triangular"](factor, A, upper=False).mT, upper=False)
        values, vectors = linalg["eigh"](inner)
        vectors = linalg["solve_triangular"](factor.mT, vectors, upper=True)
    count = min(k, width)
    if largest is None or largest:
        return values[..., rows - count :].flip(-1), vectors[..., rows - count :].flip(-1)
    return values[..., :count], vectors[..., :count]


class LOBPCGAutogradFunction(Function):
    """The chosen pairs as one step of the graph."""

    @staticmethod
    def forward(ctx: Any, A: Any, k: Any, B: Any, X: Any, n: Any, largest: Any) -> Any:
        """The pairs."""
        values, vectors = chosen(A, k, B, X, n, largest)
        ctx.save_for_backward(A, values, vectors)
        ctx.generalised = B is not None
        return values, vectors

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Σ over all pairs (λᵢ, vᵢ) and the chosen (Dⱼ, uⱼ): ``vᵢ · (vᵢᵀ gⱼ) / (Dⱼ − λᵢ) · uⱼᵀ``, with the values' gradients where i is j.

        Raises:
            ValueError: there was a ``B``.
        """
        if ctx.generalised:
            raise ValueError("lobpcg.backward does not support backward with B != I yet.")
        A, values, vectors = ctx.saved_tensors
        of_values, of_vectors = gradients
        spectrum, basis = TABLES["linalg"]["eigh"](A)
        apart = values.unsqueeze(-2) - spectrum.unsqueeze(-1)
        same = apart.detach().abs().argmin(-2, keepdim=True)
        itself = TABLES["torch"]["zeros_like"](apart).scatter(-2, same, 1.0)
        turned = (basis.mT @ of_vectors) / (apart + itself) * (1 - itself)
        return basis @ (turned + (basis.mT @ vectors) * itself * of_values.unsqueeze(-2)) @ vectors.mT, *[None] * 5
