"""Random positive definite matrices: the covariance matrices of normal samples."""

from __future__ import annotations

import math
import warnings
from typing import Any

from engine.distributions import constraints
from engine.distributions.distribution import Distribution
from engine.distributions.gamma import Chi2
from engine.distributions.multivariate_normal import factor_of, log_diagonal, only_one
from engine.distributions.parameters import Lazy, function_of
from engine.ops.factories.creation import tensor
from engine.ops.factories.filled import empty
from engine.ops.factories.sequences import arange
from engine.tensor import Tensor
from engine.type_info import finfo

TRIES = 10
"""How often samples are drawn again, as PyTorch does it by default."""


def multivariate_digamma(x: Tensor, order: int) -> Tensor:
    """The slope of the multivariate log-gamma function (Muirhead 1982): Σ ψ(x − i / 2) over ``order`` terms."""
    steps = arange(order, dtype=x.dtype)
    summed: Tensor = (x.unsqueeze(-1) - steps.div(2).expand((*x.shape, -1))).digamma().sum(-1)
    return summed


class Wishart(Distribution):
    """Σ x xᵀ over ``df`` normal vectors (Wishart 1928), known by their covariance, its inverse or its Cholesky factor.

    Raises:
        AssertionError: none or several of the three given.
        ValueError: a matrix with too few dimensions, or too few degrees of freedom.
    """

    support = constraints.positive_definite
    has_rsample = True

    def __init__(
        self,
        df: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        name, matrix = only_one(AssertionError, covariance_matrix, precision_matrix, scale_tril)
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, int | float):
            batch = matrix.shape[:-2]
            self.df: Tensor = tensor(df, dtype=matrix.dtype)
        else:
            batch = function_of("torch", "broadcast_shapes")(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch)
        size = matrix.shape[-1]
        if bool((self.df <= size - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
        self.__dict__[name] = matrix.expand(*batch, -1, -1)
        if bool((self.df < size).any()):
            warnings.warn(
                f"Low df values detected. With fewer degrees of freedom than rows ({size}), samples may be singular.",
                stacklevel=2,
            )
        self._begin(batch, matrix.shape[-2:], validate_args)
        self._factor = factor_of(name, matrix)
        self._lengths = self._squared_lengths()

    @property
    def arg_constraints(self) -> Any:
        """The bound of ``df`` depends on the size."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    def _squared_lengths(self) -> Chi2:
        """The distribution of the squared diagonal of a sample's Cholesky factor (Bartlett's decomposition)."""
        steps = arange(self._event_shape[-1], dtype=self._factor.dtype)
        return Chi2(self.df.unsqueeze(-1) - steps.expand((*self._batch_shape, -1)))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution with its batch dimensions expanded."""
        twin = super().expand(batch_shape)
        twin._factor = self._factor.expand((*batch_shape, *self._event_shape))
        twin._lengths = twin._squared_lengths()
        return twin

    def _matrix(self, matrix: Any) -> Any:
        return matrix.expand(*self._batch_shape, *self._event_shape)

    @Lazy
    def scale_tril(self) -> Tensor:
        """The covariance's Cholesky factor."""
        return self._matrix(self._factor)

    @Lazy
    def covariance_matrix(self) -> Tensor:
        """L Lᵀ."""
        return self._matrix(self._factor @ self._factor.transpose(-2, -1))

    @Lazy
    def precision_matrix(self) -> Tensor:
        """The covariance's inverse."""
        unit = function_of("torch", "eye")(self._event_shape[-1], dtype=self._factor.dtype)
        return self._matrix(function_of("torch", "cholesky_solve")(unit, self._factor))

    def _times(self, factor: Tensor) -> Tensor:
        """A number for each matrix times the covariance."""
        return factor.view((*self._batch_shape, 1, 1)) * self.covariance_matrix

    mean = property(lambda self: self._times(self.df))

    @property
    def mode(self) -> Tensor:
        """(ν − p − 1) V where that is positive, NaN elsewhere."""
        factor = self.df - self._event_shape[-1] - 1
        return self._times(factor.masked_fill(factor <= 0, math.nan))

    @property
    def variance(self) -> Tensor:
        """ν (Vᵢⱼ² + Vᵢᵢ Vⱼⱼ)."""
        matrix = self.covariance_matrix
        diagonal = matrix.diagonal(dim1=-2, dim2=-1)
        both = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        spread: Tensor = self.df.view((*self._batch_shape, 1, 1)) * (matrix.pow(2) + both)
        return spread

    def _drawn(self, sample_shape: Any) -> Tensor:
        """Matrices by Bartlett's decomposition: χ on the diagonal of the factor, normal numbers below it."""
        size = self._event_shape[-1]
        lengths = self._lengths.rsample(sample_shape).sqrt()
        noise = lengths.clamp(min=finfo(lengths.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        rows, columns = function_of("torch", "tril_indices")(size, size, offset=-1)
        below = (*sample_shape, *self._batch_shape, size * (size - 1) // 2)
        noise[..., rows, columns] = empty(below, dtype=noise.dtype).normal_()
        factor = self._factor @ noise
        sample: Tensor = factor @ factor.transpose(-2, -1)
        return sample

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Tensor:
        """Matrices that gradients flow through.

        PyTorch 2.13 draws every sample again that is sound at first, with its warning about singular ones: so does this,
        for the same numbers.
        """
        sample = self._drawn(tuple(sample_shape))
        again = self._each(self.support.check(sample))
        if not bool(again.any()):
            return sample
        warnings.warn("Singular sample detected.", stacklevel=2)
        for _ in range(TRIES if max_try_correction is None else max_try_correction):
            drawn = self._drawn((int(again.sum()),))
            sample[again] = drawn
            again[again.clone()] = self._each(~self.support.check(drawn))
            if not bool(again.any()):
                break
        return sample

    def _each(self, marks: Any) -> Any:
        """One mark per sample: the batch's are taken together."""
        return marks.amax([-1 - place for place in range(len(self._batch_shape))]) if self._batch_shape else marks

    def _half_log_determinant(self) -> Tensor:
        """½ ln |2 V|."""
        half: Tensor = self._event_shape[-1] * math.log(2) / 2 + log_diagonal(self._factor)
        return half

    def log_prob(self, value: Tensor) -> Tensor:
        """½ (ν − p − 1) ln |X| − ½ tr V⁻¹X − ½ ν ln |2 V| − ln Γₚ(½ ν)."""
        self._validate_sample(value)
        size = self._event_shape[-1]
        normaliser = -self.df * self._half_log_determinant() - function_of("torch", "mvlgamma")(self.df / 2, p=size)
        determinant = (self.df - size - 1) / 2 * function_of("linalg", "slogdet")(value).logabsdet
        ratio = function_of("torch", "cholesky_solve")(value, self._factor)
        result: Tensor = normaliser + determinant - ratio.diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2
        return result

    def entropy(self) -> Tensor:
        """½ (p + 1) ln |2 V| + ln Γₚ(½ ν) − ½ (ν − p − 1) ψₚ(½ ν) + ½ ν p."""
        size = self._event_shape[-1]
        known = (size + 1) * self._half_log_determinant() + function_of("torch", "mvlgamma")(self.df / 2, p=size)
        slope = (self.df - size - 1) / 2 * multivariate_digamma(self.df / 2, size)
        result: Tensor = known - slope + self.df * size / 2
        return result
