"""Normal vectors whose covariance is W Wᵀ + diag(D): a few directions of joint chance, and noise of each element's own."""

from __future__ import annotations

import math
from typing import Any

from engine.distributions import constraints
from engine.distributions.distribution import Distribution
from engine.distributions.multivariate_normal import log_diagonal, squared_distance, times_vector
from engine.distributions.parameters import Lazy, function_of
from engine.ops.factories.filled import empty
from engine.tensor import Tensor


def plus_identity(matrix: Any) -> Any:
    """The matrix with 1 added along its diagonal, in place."""
    size = matrix.size(-1)
    matrix = matrix.contiguous()
    matrix.view(-1, size * size)[:, :: size + 1] += 1
    return matrix


class LowRankMultivariateNormal(Distribution):
    """A normal vector around ``loc`` with covariance W Wᵀ + diag(D); W is ``cov_factor``, D is ``cov_diag``.

    Never builds the whole covariance for sampling or densities (Woodbury's identity).

    Raises:
        ValueError: shapes that do not fit.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True
    _batched = ("variance",)

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        broadcast = function_of("torch", "broadcast_tensors")
        try:
            places, self.cov_factor, diagonals = broadcast(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc, self.cov_diag = places[..., 0], diagonals[..., 0]
        self._factor, self._diagonal = cov_factor, cov_diag
        capacitance = plus_identity(function_of("torch", "matmul")(self._weighted(), cov_factor))
        self._capacitance = function_of("linalg", "cholesky")(capacitance)
        self._begin(self.loc.shape[:-1], event, validate_args)

    def _weighted(self) -> Any:
        """Wᵀ D⁻¹."""
        return self._factor.mT / self._diagonal.unsqueeze(-2)

    def _matrix(self, matrix: Any) -> Any:
        return matrix.expand(*self._batch_shape, *self._event_shape, *self._event_shape)

    mean = mode = property(lambda self: self.loc)

    @Lazy
    def variance(self) -> Tensor:
        """The covariance's diagonal."""
        variance = self._factor.pow(2).sum(-1) + self._diagonal
        return variance.expand(self._batch_shape + self._event_shape)

    @Lazy
    def scale_tril(self) -> Tensor:
        """The covariance's Cholesky factor."""
        root = self._diagonal.sqrt().unsqueeze(-1)
        scaled = self._factor / root
        inner = plus_identity(function_of("torch", "matmul")(scaled, scaled.mT))
        return self._matrix(root * function_of("linalg", "cholesky")(inner))

    @Lazy
    def covariance_matrix(self) -> Tensor:
        """W Wᵀ + diag(D)."""
        product = function_of("torch", "matmul")(self._factor, self._factor.mT)
        return self._matrix(product + self._diagonal.diag_embed())

    @Lazy
    def precision_matrix(self) -> Tensor:
        """The covariance's inverse, by Woodbury's identity."""
        a = function_of("linalg", "solve_triangular")(self._capacitance, self._weighted(), upper=False)
        return self._matrix(self._diagonal.reciprocal().diag_embed() - a.mT @ a)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """loc + W ε + √D ε′ with standard normal ε and ε′."""
        shape = self._extended_shape(sample_shape)
        joint = empty(shape[:-1] + self.cov_factor.shape[-1:], dtype=self.loc.dtype).normal_()
        own = empty(shape, dtype=self.loc.dtype).normal_()
        return self.loc + times_vector(self._factor, joint) + self._diagonal.sqrt() * own

    def _log_determinant(self) -> Any:
        return 2 * log_diagonal(self._capacitance) + self._diagonal.log().sum(-1)

    def _squared_distance(self, difference: Any) -> Any:
        """The squared Mahalanobis distance, by Woodbury's identity."""
        projected = times_vector(self._weighted(), difference)
        whole = (difference.pow(2) / self._diagonal).sum(-1)
        return whole - squared_distance(self._capacitance, projected)

    def log_prob(self, value: Tensor) -> Tensor:
        """−½ (k ln 2π + ln |Σ| + the squared Mahalanobis distance)."""
        self._validate_sample(value)
        distance = self._squared_distance(value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_determinant() + distance)

    def entropy(self) -> Tensor:
        """½ (k (1 + ln 2π) + ln |Σ|)."""
        constant = self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        entropy: Tensor = 0.5 * (constant + self._log_determinant())
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
