"""Uniform, exponential, Laplace and Cauchy."""

from __future__ import annotations

import math
from typing import Any

from engine.distributions import constraints
from engine.distributions.distribution import Distribution
from engine.distributions.exponential_family import ExponentialFamily
from engine.ops.factories.filled import empty, zeros_like
from engine.ops.random.numbers import rand
from engine.tensor import Tensor
from engine.type_info import finfo


class Uniform(Distribution):
    """Every number from ``low`` to ``high`` alike."""

    has_rsample = True
    low: Tensor
    high: Tensor

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self._begin_with(validate_args, low=low, high=high)

    arg_constraints = property(
        lambda self: {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}
    )
    support = constraints.dependent_property(
        lambda self: constraints.interval(self.low, self.high), is_discrete=False, event_dim=0
    )
    mean = property(lambda self: (self.high + self.low) / 2)
    mode = property(lambda self: math.nan * self.high)
    stddev = property(lambda self: (self.high - self.low) / 12**0.5)
    variance = property(lambda self: (self.high - self.low).pow(2) / 12)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """low + u·(high − low)."""
        noise = rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + noise * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """−ln(high − low) inside, −∞ outside."""
        self._validate_sample(value)
        inside = self.low.le(value).type_as(self.low).mul(self.high.gt(value).type_as(self.low))
        return inside.log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        """The share of the interval below ``value``."""
        self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        """The point with that share below it."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        """ln(high − low)."""
        return (self.high - self.low).log()


class Exponential(ExponentialFamily):
    """Waiting time for something that happens ``rate`` times per unit."""

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    rate: Tensor

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._begin_with(validate_args, rate=rate)

    mean = stddev = property(lambda self: self.rate.reciprocal())
    mode = property(lambda self: zeros_like(self.rate))
    variance = property(lambda self: self.rate.pow(-2))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """A waiting time at rate 1, divided by the rate."""
        return empty(self._extended_shape(sample_shape), dtype=self.rate.dtype).exponential_() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        """ln λ − λx."""
        self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        """1 − e^(−λx)."""
        self._validate_sample(value)
        return 1 - (-self.rate * value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """−ln(1 − p) / λ."""
        return -(-value).log1p() / self.rate

    def entropy(self) -> Tensor:
        """1 − ln λ."""
        return 1.0 - self.rate.log()


class Laplace(Distribution):
    """Two exponentials back to back at ``loc``."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._begin_with(validate_args, loc=loc, scale=scale)

    mean = mode = property(lambda self: self.loc)
    variance = property(lambda self: 2 * self.scale.pow(2))
    stddev = property(lambda self: 2**0.5 * self.scale)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """The inverse distribution function of a uniform number in (−1, 1)."""
        eps = finfo(self.loc.dtype).eps
        u = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).uniform_(eps - 1, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Tensor) -> Tensor:
        """−ln 2b − |x − μ| / b."""
        self._validate_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        """½ − ½ sign(x − μ) (e^(−|x − μ| / b) − 1)."""
        self._validate_sample(value)
        distance = (value - self.loc).abs()
        return 0.5 - 0.5 * (value - self.loc).sign() * (-distance / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        """μ − b sign(p − ½) ln(1 − 2 |p − ½|)."""
        distance = value - 0.5
        return self.loc - self.scale * distance.sign() * (-2 * distance.abs()).log1p()

    def entropy(self) -> Tensor:
        """1 + ln 2b."""
        return 1 + (2 * self.scale).log()


class Cauchy(Distribution):
    """The ratio of two normal numbers: so heavy in the tails that it has no mean."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._begin_with(validate_args, loc=loc, scale=scale)

    mean = property(lambda self: self._everywhere(math.nan, self.loc))
    mode = property(lambda self: self.loc)
    variance = property(lambda self: self._everywhere(math.inf, self.loc))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """loc + ε·scale with standard Cauchy ε."""
        return self.loc + empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).cauchy_() * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """−ln π − ln γ − ln(1 + ((x − μ) / γ)²)."""
        self._validate_sample(value)
        distance = ((value - self.loc) / self.scale) ** 2
        return -math.log(math.pi) - self.scale.log() - distance.log1p()

    def cdf(self, value: Tensor) -> Tensor:
        """arctan((x − μ) / γ) / π + ½."""
        self._validate_sample(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        """μ + γ tan(π (p − ½))."""
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Tensor:
        """ln 4πγ."""
        return math.log(4 * math.pi) + self.scale.log()
