"""Normal vectors with a full covariance, and what of them the other distributions with a matrix need."""

from __future__ import annotations

import math
from typing import Any

from engine.distributions import constraints
from engine.distributions.distribution import Distribution
from engine.distributions.parameters import Lazy, function_of
from engine.ops.factories.filled import empty
from engine.tensor import Tensor


def times_vector(matrix: Any, vector: Any) -> Any:
    """Matrix times vector, for batches of both."""
    return function_of("torch", "matmul")(matrix, vector.unsqueeze(-1)).squeeze(-1)


def squared_distance(factor: Any, difference: Any) -> Any:
    """|L⁻¹ x|² for lower triangular L (its batch may be smaller than x's): the squared Mahalanobis distance."""
    size, batch = difference.shape[-1], difference.shape[:-1]
    inner = factor.dim() - 2
    outer = len(batch) - inner
    shape = list(difference.shape[:outer])
    for own, given in zip(factor.shape[:-2], difference.shape[outer:-1], strict=True):
        shape += [given // own, own]
    split = difference.reshape(*shape, size)
    end = outer + 2 * inner
    split = split.permute(*range(outer), *range(outer, end, 2), *range(outer + 1, end, 2), end)
    flat_factor = factor.reshape(-1, size, size)
    columns = split.reshape(-1, flat_factor.size(0), size).permute(1, 2, 0)
    solve = function_of("linalg", "solve_triangular")
    distances = solve(flat_factor, columns, upper=False).pow(2).sum(-2).t().reshape(split.shape[:-1])
    order = list(range(outer))
    for i in range(inner):
        order += [outer + i, outer + inner + i]
    return distances.permute(order).reshape(batch)


def log_diagonal(factor: Any) -> Any:
    """Σ ln of the diagonal: half the log-determinant of L Lᵀ."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def factor_of_inverse(precision: Tensor) -> Any:
    """The Cholesky factor of the inverse of a matrix, without inverting it."""
    flipped = function_of("linalg", "cholesky")(precision.flip((-2, -1)))
    inverse = flipped.flip((-2, -1)).transpose(-2, -1)
    unit = function_of("torch", "eye")(precision.shape[-1], dtype=precision.dtype)
    return function_of("linalg", "solve_triangular")(inverse, unit, upper=False)


def only_one(
    refusal: type[Exception], covariance: Tensor | None, precision: Tensor | None, factor: Tensor | None
) -> tuple[str, Tensor]:
    """Name and value of the one matrix that is given. Raises ``refusal``: none or several."""
    matrices = {"covariance_matrix": covariance, "precision_matrix": precision, "scale_tril": factor}
    given = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
    if len(given) != 1:
        raise refusal("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
    return given[0]


def factor_of(name: str, matrix: Tensor) -> Any:
    """The covariance's Cholesky factor, from whichever of the three matrices is known."""
    if name == "scale_tril":
        return matrix
    return function_of("linalg", "cholesky")(matrix) if name == "covariance_matrix" else factor_of_inverse(matrix)


class MultivariateNormal(Distribution):
    """A normal vector around ``loc``, known by its covariance, its precision or the covariance's Cholesky factor.

    Raises:
        ValueError: none or several of the three given, or one with too few dimensions.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = only_one(ValueError, covariance_matrix, precision_matrix, scale_tril)
        if matrix.dim() < 2:
            what = name if name.endswith("_matrix") else f"{name} matrix"
            raise ValueError(f"{what} must be at least two-dimensional, with optional leading batch dimensions")
        batch = function_of("torch", "broadcast_shapes")(matrix.shape[:-2], loc.shape[:-1])
        self.__dict__[name] = matrix.expand(*batch, -1, -1)
        self.loc = loc.expand(*batch, -1)
        self._begin(batch, self.loc.shape[-1:], validate_args)
        self._factor = factor_of(name, matrix)

    def _matrix(self, matrix: Any) -> Any:
        return matrix.expand(*self._batch_shape, *self._event_shape, *self._event_shape)

    @Lazy
    def scale_tril(self) -> Tensor:
        """The covariance's Cholesky factor."""
        return self._matrix(self._factor)

    @Lazy
    def covariance_matrix(self) -> Tensor:
        """L Lᵀ."""
        return self._matrix(function_of("torch", "matmul")(self._factor, self._factor.mT))

    @Lazy
    def precision_matrix(self) -> Tensor:
        """The covariance's inverse."""
        return self._matrix(function_of("torch", "cholesky_inverse")(self._factor))

    mean = mode = property(lambda self: self.loc)

    @property
    def variance(self) -> Tensor:
        """The covariance's diagonal."""
        return self._factor.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """loc + L ε with standard normal ε."""
        noise = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).normal_()
        return self.loc + times_vector(self._factor, noise)

    def log_prob(self, value: Tensor) -> Tensor:
        """−½ (k ln 2π + |L⁻¹ (x − μ)|²) − ln |L|."""
        self._validate_sample(value)
        distance = squared_distance(self._factor, value - self.loc)
        half = log_diagonal(self._factor)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half

    def entropy(self) -> Tensor:
        """½ k (1 + ln 2π) + ln |L|."""
        half = log_diagonal(self._factor)
        entropy: Tensor = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
