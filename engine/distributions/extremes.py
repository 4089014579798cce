"""Distributions made by transforming a uniform or exponential number: Gumbel, Weibull, Pareto, Kumaraswamy."""

from __future__ import annotations

import math
from typing import Any

from engine.distributions import constraints
from engine.distributions.continuous import Exponential, Uniform
from engine.distributions.parameters import broadcast_all, filled_like
from engine.distributions.pointwise_transforms import AffineTransform, ExpTransform, PowerTransform
from engine.distributions.transformed import TransformedDistribution
from engine.tensor import Tensor
from engine.type_info import finfo

EULER = 0.57721566490153286060
"""The Euler–Mascheroni constant γ, the mean of a standard Gumbel number."""


class Gumbel(TransformedDistribution):
    """The largest of many numbers."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        limits = finfo(self.loc.dtype)
        if isinstance(loc, int | float) and isinstance(scale, int | float):
            base = Uniform(limits.tiny, 1 - limits.eps, validate_args=validate_args)
        else:
            low, high = filled_like(self.loc, limits.tiny), filled_like(self.loc, 1 - limits.eps)
            base = Uniform(low, high, validate_args=validate_args)
        negated = AffineTransform(0, -filled_like(self.scale, 1))
        steps = [ExpTransform().inv, negated, ExpTransform().inv, AffineTransform(loc, -self.scale)]
        super().__init__(base, steps, validate_args)

    mean = property(lambda self: self.loc + self.scale * EULER)
    mode = property(lambda self: self.loc)
    stddev = property(lambda self: (math.pi / math.sqrt(6)) * self.scale)
    variance = property(lambda self: self.stddev.pow(2))

    def log_prob(self, value: Tensor) -> Tensor:
        """y − e^y − ln β with y = (μ − x) / β."""
        self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def entropy(self) -> Tensor:
        """ln β + 1 + γ."""
        return self.scale.log() + (1 + EULER)


class Weibull(TransformedDistribution):
    """Time to a failure that grows likelier (concentration above 1) or less likely (below) with age."""

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(filled_like(self.scale, 1), validate_args=validate_args)
        steps = [PowerTransform(self.concentration_reciprocal), AffineTransform(0, self.scale)]
        super().__init__(base, steps, validate_args)

    mean = property(lambda self: self.scale * (1 + self.concentration_reciprocal).lgamma().exp())

    @property
    def mode(self) -> Tensor:
        """λ ((k − 1) / k)^(1 / k)."""
        ratio = (self.concentration - 1) / self.concentration
        return self.scale * ratio ** self.concentration.reciprocal()

    @property
    def variance(self) -> Tensor:
        """λ² (Γ(1 + 2/k) − Γ(1 + 1/k)²)."""
        second = (1 + 2 * self.concentration_reciprocal).lgamma().exp()
        return self.scale.pow(2) * (second - (2 * (1 + self.concentration_reciprocal).lgamma()).exp())

    def entropy(self) -> Tensor:
        """γ (1 − 1/k) + ln(λ / k) + 1."""
        first = EULER * (1 - self.concentration_reciprocal)
        return first + (self.scale * self.concentration_reciprocal).log() + 1


class Pareto(TransformedDistribution):
    """At least ``scale``, with a tail that falls as a power."""

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        super().__init__(base, [ExpTransform(), AffineTransform(0, self.scale)], validate_args)

    support = constraints.dependent_property(
        lambda self: constraints.greater_than_eq(self.scale), is_discrete=False, event_dim=0
    )
    mode = property(lambda self: self.scale)

    @property
    def mean(self) -> Tensor:
        """αm / (α − 1), infinite up to α = 1."""
        alpha = self.alpha.clamp(min=1)
        return alpha * self.scale / (alpha - 1)

    @property
    def variance(self) -> Tensor:
        """m²α / ((α − 1)² (α − 2)), infinite up to α = 2."""
        alpha = self.alpha.clamp(min=2)
        return self.scale.pow(2) * alpha / ((alpha - 1).pow(2) * (alpha - 2))

    def entropy(self) -> Tensor:
        """ln(m / α) + 1 + 1 / α."""
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Kumaraswamy(TransformedDistribution):
    """A share between 0 and 1, much like a beta but easy to sample."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        low, high = filled_like(self.concentration0, 0), filled_like(self.concentration0, 1)
        base = Uniform(low, high, validate_args=validate_args)
        steps = [
            PowerTransform(self.concentration0.reciprocal()),
            AffineTransform(1.0, -1.0),
            PowerTransform(self.concentration1.reciprocal()),
        ]
        super().__init__(base, steps, validate_args)

    def _moment(self, n: int) -> Any:
        a, b = self.concentration1, self.concentration0
        first = 1 + n / a
        return b * (first.lgamma() + b.lgamma() - (first + b).lgamma()).exp()

    mean = property(lambda self: self._moment(1))
    variance = property(lambda self: self._moment(2) - self.mean.pow(2))

    @property
    def mode(self) -> Tensor:
        """((a − 1) / (ab − 1))^(1/a), where both are at least 1."""
        a, b = self.concentration1, self.concentration0
        logarithm: Tensor = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        logarithm[(b < 1) | (a < 1)] = math.nan
        return logarithm.exp()

    def entropy(self) -> Tensor:
        """1 − 1/b + (1 − 1/a) H(b) − ln a − ln b."""
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + EULER
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - a.log() - b.log()
