"""The normal distribution, and e to it: the log-normal."""

from __future__ import annotations

import math
from typing import Any

from engine.autograd.modes import no_grad
from engine.distributions import constraints
from engine.distributions.exponential_family import ExponentialFamily
from engine.distributions.pointwise_transforms import ExpTransform
from engine.distributions.transformed import TransformedDistribution
from engine.ops.factories.filled import empty
from engine.ops.random.draws import normal
from engine.tensor import Tensor


class Normal(ExponentialFamily):
    """Bell-shaped around ``loc`` with standard deviation ``scale``."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._begin_with(validate_args, loc=loc, scale=scale)

    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.stddev.pow(2))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Normal numbers, outside the graph."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """loc + ε·scale with standard normal ε: the reparametrisation trick."""
        noise = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).normal_()
        return self.loc + noise * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """−(x − μ)² / 2σ² − ln σ − ½ ln 2π."""
        self._validate_sample(value)
        variance = self.scale**2
        return -((value - self.loc) ** 2) / (2 * variance) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        """½ (1 + erf((x − μ) / σ√2))."""
        self._validate_sample(value)
        return 0.5 * (1 + ((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)).erf())

    def icdf(self, value: Tensor) -> Tensor:
        """μ + σ√2 · erf⁻¹(2p − 1)."""
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Tensor:
        """½ + ½ ln 2π + ln σ."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()


class LogNormal(TransformedDistribution):
    """e to a normal number."""

    arg_constraints = Normal.arg_constraints
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args)

    loc = property(lambda self: self.base_dist.loc)
    scale = property(lambda self: self.base_dist.scale)
    mean = property(lambda self: (self.loc + self.scale.pow(2) / 2).exp())
    mode = property(lambda self: (self.loc - self.scale.square()).exp())

    @property
    def variance(self) -> Tensor:
        """(e^σ² − 1) · e^(2μ + σ²)."""
        squared = self.scale.pow(2)
        return squared.expm1() * (2 * self.loc + squared).exp()

    def entropy(self) -> Tensor:
        """The normal's, plus μ."""
        return self.base_dist.entropy() + self.loc
