"""What exceeds a high threshold: the generalised Pareto distribution."""

from __future__ import annotations

import math
from typing import Any

from engine.distributions import constraints
from engine.distributions.distribution import Distribution
from engine.distributions.parameters import function_of
from engine.ops.factories.filled import empty
from engine.tensor import Tensor


class GeneralizedPareto(Distribution):
    """Exponential at ``concentration`` 0, Pareto above, with an end below it, uniform at −1 (Pickands 1975)."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc: Tensor
        self.scale: Tensor
        self.concentration: Tensor
        self._begin_with(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From ``loc`` on, up to loc − scale / concentration where that is negative."""
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, self._chosen(self.concentration < 0, end, math.inf))

    mode = property(lambda self: self.loc)

    @staticmethod
    def _chosen(condition: Any, first: Any, second: Any) -> Tensor:
        chosen: Tensor = function_of("torch", "where")(condition, first, second)
        return chosen

    def _safe(self) -> tuple[Tensor, Tensor]:
        """Where the concentration is 0, and the concentration with 1 there, since it is divided by."""
        vanishes = function_of("torch", "isclose")(
            self.concentration, function_of("torch", "zeros_like")(self.concentration)
        )
        ones = function_of("torch", "ones_like")(self.concentration)
        return vanishes, self._chosen(vanishes, ones, self.concentration)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """The quantiles of uniform numbers."""
        return self.icdf(empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).uniform_())

    def log_prob(self, value: Tensor) -> Tensor:
        """−ln σ − (1 / ξ + 1) ln(1 + ξ z) with z = (x − μ) / σ; −ln σ − z at ξ = 0."""
        self._validate_sample(value)
        z: Tensor = (value - self.loc) / self.scale
        vanishes, safe = self._safe()
        power = 1 / safe + function_of("torch", "ones_like")(z)
        rest = self._chosen(power == 0, power, power * (safe * z).log1p())
        result: Tensor = -self.scale.log() - self._chosen(vanishes, z, rest)
        return result

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of more than ``value``."""
        self._validate_sample(value)
        z: Tensor = (value - self.loc) / self.scale
        vanishes, safe = self._safe()
        return self._chosen(vanishes, -z, -(safe * z).log1p() / safe)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of `cdf`."""
        logarithm: Tensor = (-self.log_survival_function(value).exp()).log1p()
        return logarithm

    def cdf(self, value: Tensor) -> Tensor:
        """Probability of a value not above ``value``."""
        return self.log_cdf(value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """μ + σ ((1 − u)^(−ξ) − 1) / ξ; μ − σ ln(1 − u) at ξ = 0."""
        vanishes, safe = self._safe()
        logarithm = (-value).log1p()
        rest = self.loc + self.scale / safe * (-safe * logarithm).expm1()
        return self._chosen(vanishes, self.loc - self.scale * logarithm, rest)

    @property
    def mean(self) -> Tensor:
        """μ + σ / (1 − ξ) below ξ = 1, NaN from there on."""
        valid = self.concentration < 1
        return self._chosen(valid, self.loc + self.scale / (1 - self._chosen(valid, self.concentration, 0.5)), math.nan)

    @property
    def variance(self) -> Tensor:
        """σ² / ((1 − ξ)² (1 − 2 ξ)) below ξ = ½, NaN from there on."""
        valid = self.concentration < 0.5
        safe = self._chosen(valid, self.concentration, 0.25)
        return self._chosen(valid, self.scale**2 / ((1 - safe) ** 2 * (1 - 2 * safe)), math.nan)

    def entropy(self) -> Tensor:
        """ln σ + ξ + 1."""
        entropy: Tensor = self.scale.log() + self.concentration + 1
        return entropy.broadcast_to(self._batch_shape)
