"""The leading singular vectors of a large matrix, found by random projection (Halko, Martinsson and Tropp, 2011)."""

from __future__ import annotations

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite
from engine.tensor import Tensor


def range_basis(matrix: Tensor, count: int, turns: int, mean: Tensor | None) -> Tensor:
    """Orthonormal columns that nearly span the range of ``matrix − mean``: their algorithm 4.4."""
    qr = TABLES["linalg"]["qr"]
    draws = TABLES["torch"]["randn"](matrix.shape[-1], count, dtype=matrix.dtype)

    def projected(source: Tensor, offset: Tensor | None, onto: Tensor) -> Tensor:
        product = source @ onto
        return qr(product if offset is None else product - offset @ onto)[0]

    basis = projected(matrix, mean, draws)
    for _ in range(turns):
        basis = projected(matrix.mH, None if mean is None else mean.mH, basis)
        basis = projected(matrix, mean, basis)
    return basis


@composite(at="torch")
def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """About the q largest singular values of A (or of A − M) with their vectors: U, S and V.

    Args:
        A: (…, m, n).
        q: how many, better some more than are wanted.
        niter: rounds that sharpen the estimate.
        M: what is subtracted from A without forming the difference.
    """
    count = 6 if q is None else q
    turns = 2 if niter is None else niter
    flat = A.shape[-2] < A.shape[-1]
    mean = None if M is None else M.broadcast_to(A.shape)
    source = A.mH if flat else A
    mean = mean.mH if flat and mean is not None else mean
    basis = range_basis(source, count, turns, mean)
    small = basis.mH @ source
    if mean is not None:
        small = small - basis.mH @ mean
    u, s, vh = TABLES["linalg"]["svd"](small, False)
    u, v = basis @ u, vh.mH
    return (v, s, u) if flat else (u, s, v)


@composite(at="torch")
def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """The leading principal components: ``svd_lowrank`` of A with its columns' means taken away.

    Raises:
        ValueError: more components than A has rows or columns, or negative numbers.
    """
    rows, columns = A.shape[-2:]
    if q is None:
        q = min(6, rows, columns)
    elif not 0 <= q <= min(rows, columns):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(rows, columns)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean((-2,), True) if center else A, q, niter)
