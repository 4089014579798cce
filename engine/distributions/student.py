"""Ratios of chance: Student's t, Fisher and Snedecor's F, the inverse gamma."""

from __future__ import annotations

import math
from typing import Any

from engine.distributions import constraints
from engine.distributions.distribution import Distribution
from engine.distributions.gamma import Chi2, Gamma
from engine.distributions.parameters import broadcast_all
from engine.distributions.pointwise_transforms import PowerTransform
from engine.distributions.transformed import TransformedDistribution
from engine.ops.factories.filled import empty
from engine.tensor import Tensor
from engine.type_info import finfo


class StudentT(Distribution):
    """A normal number divided by a noisy estimate of its spread: the fewer degrees of freedom, the heavier the tails."""

    arg_constraints = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True
    _batched = ("_chi2",)

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        self._begin(self.df.shape, (), validate_args)

    mode = property(lambda self: self.loc)

    @property
    def mean(self) -> Tensor:
        """loc, where there is more than one degree of freedom."""
        mean: Tensor = self.loc.clone()
        mean[self.df <= 1] = math.nan
        return mean

    @property
    def variance(self) -> Tensor:
        """σ² ν / (ν − 2) above two degrees of freedom, infinite above one."""
        variance: Tensor = self.df.clone()
        finite = self.df > 2
        variance[finite] = self.scale[finite].pow(2) * self.df[finite] / (self.df[finite] - 2)
        variance[(self.df <= 2) & (self.df > 1)] = math.inf
        variance[self.df <= 1] = math.nan
        return variance

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """loc + scale · ε / √(χ² / ν)."""
        noise = empty(self._extended_shape(sample_shape), dtype=self.df.dtype).normal_()
        spread = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (noise * (spread / self.df).rsqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        """−½(ν + 1) ln(1 + y² / ν) less the logarithm of the normaliser."""
        self._validate_sample(value)
        y = (value - self.loc) / self.scale
        constant = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        normaliser = constant + (0.5 * self.df).lgamma() - (0.5 * (self.df + 1.0)).lgamma()
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - normaliser

    def entropy(self) -> Tensor:
        """ln σ + ½(ν + 1)(ψ(½(ν + 1)) − ψ(½ν)) + ½ ln ν + ln B(½ν, ½)."""
        log_beta = (0.5 * self.df).lgamma() + math.lgamma(0.5) - (0.5 * (self.df + 1)).lgamma()
        slopes = (0.5 * (self.df + 1)).digamma() - (0.5 * self.df).digamma()
        return self.scale.log() + 0.5 * (self.df + 1) * slopes + 0.5 * self.df.log() + log_beta


class FisherSnedecor(Distribution):
    """The ratio of two estimates of the same variance, from ``df1`` and ``df2`` degrees of freedom."""

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _batched = ("_gamma1", "_gamma2")
    df1: Tensor
    df2: Tensor

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        self._begin(self.df1.shape, (), validate_args)

    def _df2_above(self, limit: int) -> Tensor:
        df2: Tensor = self.df2.clone()
        df2[df2 <= limit] = math.nan
        return df2

    @property
    def mean(self) -> Tensor:
        """ν₂ / (ν₂ − 2), above ν₂ = 2."""
        df2 = self._df2_above(2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        """(ν₁ − 2) / ν₁ · ν₂ / (ν₂ + 2), above ν₁ = 2."""
        mode: Tensor = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        return mode

    @property
    def variance(self) -> Tensor:
        """2 ν₂² (ν₁ + ν₂ − 2) / (ν₁ (ν₂ − 2)² (ν₂ − 4)), above ν₂ = 4."""
        df2 = self._df2_above(4)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """The ratio of two gamma numbers."""
        shape = self._extended_shape(sample_shape)
        above, below = self._gamma1.rsample(sample_shape).view(shape), self._gamma2.rsample(sample_shape).view(shape)
        smallest = finfo(below.dtype).tiny
        below.clamp_(min=smallest)
        ratio: Tensor = above / below
        ratio.clamp_(min=smallest)
        return ratio

    def log_prob(self, value: Tensor) -> Tensor:
        """The density of the ratio."""
        self._validate_sample(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        normaliser = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        power = half1 * ratio.log() + (half1 - 1) * value.log()
        return normaliser + power - (half1 + half2) * (ratio * value).log1p()


class InverseGamma(TransformedDistribution):
    """1 divided by a gamma number."""

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args)

    concentration = property(lambda self: self.base_dist.concentration)
    rate = property(lambda self: self.base_dist.rate)
    mode = property(lambda self: self.rate / (self.concentration + 1))

    @property
    def mean(self) -> Tensor:
        """β / (α − 1), infinite up to α = 1."""
        return (self.rate / (self.concentration - 1)).where(self.concentration > 1, math.inf)

    @property
    def variance(self) -> Tensor:
        """β² / ((α − 1)² (α − 2)), infinite up to α = 2."""
        alpha = self.concentration
        variance = self.rate.square() / ((alpha - 1).square() * (alpha - 2))
        return variance.where(alpha > 2, math.inf)

    def entropy(self) -> Tensor:
        """α + ln β + ln Γ(α) − (1 + α) ψ(α)."""
        alpha = self.concentration
        return alpha + self.rate.log() + alpha.lgamma() - (1 + alpha) * alpha.digamma()
