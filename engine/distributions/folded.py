"""Absolute values of what is spread evenly around 0: half-normal and half-Cauchy."""

from __future__ import annotations

import math
from typing import Any

from engine.distributions import constraints
from engine.distributions.continuous import Cauchy
from engine.distributions.distribution import Distribution
from engine.distributions.normal import Normal
from engine.distributions.pointwise_transforms import AbsTransform
from engine.distributions.transformed import TransformedDistribution
from engine.ops.factories.filled import zeros_like
from engine.tensor import Tensor


class Folded(TransformedDistribution):
    """|x| for x from a distribution that is symmetric around 0 and has a ``scale``."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, base: Distribution, validate_args: bool | None) -> None:
        super().__init__(base, AbsTransform(), validate_args)

    scale = property(lambda self: self.base_dist.scale)
    mode = property(lambda self: zeros_like(self.scale))

    def log_prob(self, value: Tensor) -> Tensor:
        """The symmetric one's, doubled; −∞ below 0."""
        self._validate_sample(value)
        density = self.base_dist.log_prob(value) + math.log(2)
        return density.where(value >= 0, -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        """Twice the symmetric one's, less 1."""
        self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        """The symmetric one's, on its upper half."""
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        """The symmetric one's, less ln 2."""
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(Folded):
    """The absolute value of a normal number around 0."""

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), validate_args)

    mean = property(lambda self: self.scale * math.sqrt(2 / math.pi))
    variance = property(lambda self: self.scale.pow(2) * (1 - 2 / math.pi))


class HalfCauchy(Folded):
    """The absolute value of a Cauchy number around 0."""

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), validate_args)

    mean = property(lambda self: self._everywhere(math.inf, self.scale))
    variance = property(lambda self: self.base_dist.variance)
