"""Divergences between normal vectors, with full covariances and with those of low rank plus a diagonal.

Each is ½ (ln |Σ_q| − ln |Σ_p| + tr(Σ_q⁻¹ Σ_p) + the squared Mahalanobis distance − k); traces are sums of squares of
what a Cholesky factor makes of the other's factor.
"""

from __future__ import annotations

from typing import Any

from engine.distributions.divergence import register_kl
from engine.distributions.low_rank import LowRankMultivariateNormal
from engine.distributions.multivariate_normal import MultivariateNormal, log_diagonal, squared_distance
from engine.distributions.parameters import function_of
from engine.tensor import Tensor


def require_one_size(p: Any, q: Any, kind: str) -> None:
    """Raises ValueError: the vectors have different sizes."""
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {kind}Multivariate Normals with different event shapes cannot be computed"
        )


def trace_of_square(matrix: Any) -> Any:
    """tr(X Xᵀ)."""
    rows, columns = matrix.shape[-2:]
    return matrix.reshape(-1, rows * columns).pow(2).sum(-1).reshape(matrix.shape[:-2])


def divided(factor: Any, matrix: Any) -> Any:
    """L⁻¹ X for lower triangular L."""
    return function_of("linalg", "solve_triangular")(factor, matrix, upper=False)


@register_kl(MultivariateNormal, MultivariateNormal)
def _full(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    require_one_size(p, q, "")
    half = log_diagonal(q._factor) - log_diagonal(p._factor)
    batch = function_of("torch", "broadcast_shapes")(q._factor.shape[:-2], p._factor.shape[:-2])
    (n,) = p.event_shape
    trace = trace_of_square(divided(q._factor.expand(*batch, n, n), p._factor.expand(*batch, n, n)))
    return half + 0.5 * (trace + squared_distance(q._factor, q.loc - p.loc) - n)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_rank(p: LowRankMultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    require_one_size(p, q, "Low Rank ")
    determinants = q._log_determinant() - p._log_determinant()
    projection = divided(q._capacitance, q._weighted())
    own = (p.cov_diag / q.cov_diag).sum(-1) + trace_of_square(p.cov_factor * q.cov_diag.rsqrt().unsqueeze(-1))
    shared = trace_of_square(projection * p.cov_diag.sqrt().unsqueeze(-2))
    trace = own - shared - trace_of_square(projection.matmul(p.cov_factor))
    return 0.5 * (determinants + trace + q._squared_distance(q.loc - p.loc) - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _full_from_low_rank(p: MultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    require_one_size(p, q, "(Low Rank) ")
    determinants = q._log_determinant() - 2 * log_diagonal(p._factor)
    projection = divided(q._capacitance, q._weighted())
    own = trace_of_square(p.scale_tril * q.cov_diag.rsqrt().unsqueeze(-1))
    trace = own - trace_of_square(projection.matmul(p.scale_tril))
    return 0.5 * (determinants + trace + q._squared_distance(q.loc - p.loc) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_rank_from_full(p: LowRankMultivariateNormal, q: MultivariateNormal) -> Tensor:
    require_one_size(p, q, "(Low Rank) ")
    determinants = 2 * log_diagonal(q._factor) - p._log_determinant()
    batch = function_of("torch", "broadcast_shapes")(q._factor.shape[:-2], p.cov_factor.shape[:-2])
    (n,) = p.event_shape
    factor = q._factor.expand(*batch, n, n)
    directions = p.cov_factor.expand(*batch, n, p.cov_factor.shape[-1])
    noise = p.cov_diag.sqrt().diag_embed().expand(*batch, n, n)
    trace = trace_of_square(divided(factor, directions)) + trace_of_square(divided(factor, noise))
    return 0.5 * (determinants + trace + squared_distance(q._factor, q.loc - p.loc) - n)
