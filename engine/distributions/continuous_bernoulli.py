"""The continuous Bernoulli: a number between 0 and 1 with density in proportion to p^x (1 − p)^(1 − x) (Loaiza-Ganem 2019).

Near p = ½ the closed forms divide 0 by 0; there (inside ``lims``) Taylor polynomials stand in.
"""

from __future__ import annotations

import math
from typing import Any

from engine.distributions import constraints
from engine.distributions.exponential_family import ExponentialFamily
from engine.distributions.parameters import (
    Lazy,
    broadcast_all,
    clamp_probs,
    function_of,
    functional,
    logits_to_probs,
)
from engine.distributions.probs_or_logits import ProbsOrLogits
from engine.ops.factories.filled import zeros_like
from engine.ops.random.numbers import rand
from engine.tensor import Tensor


def ones_like(value: Any) -> Any:
    """Ones of the same shape."""
    return function_of("torch", "ones_like")(value)


class ContinuousBernoulli(ProbsOrLogits, ExponentialFamily):
    """What pixel intensities of a variational autoencoder follow, where a Bernoulli would only pretend.

    Raises:
        ValueError: probabilities outside [0, 1].
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        self._take(probs, logits)
        if probs is not None:
            if validate_args and not constraints.unit_interval._holds(self._param).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = self._param = clamp_probs(self._param)
        self._lims = lims
        self._begin(self._param.shape, (), validate_args)

    @Lazy
    def probs(self) -> Tensor:
        """The parameter p, which is not the mean."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _outside(self) -> Any:
        return function_of("torch", "max")(self.probs.le(self._lims[0]), self.probs.gt(self._lims[1]))

    def _cut(self) -> Any:
        return self.probs.where(self._outside(), self._lims[0] * ones_like(self.probs))

    def _log_norm(self) -> Any:
        cut = self._cut()
        below = cut.where(cut.le(0.5), zeros_like(cut))
        above = cut.where(cut.ge(0.5), ones_like(cut))
        halves = (-2.0 * below).log1p().where(cut.le(0.5), (2.0 * above - 1.0).log())
        closed = ((-cut).log1p() - cut.log()).abs().log() - halves
        x = (self.probs - 0.5).pow(2)
        return closed.where(self._outside(), math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        """p / (2p − 1) + 1 / (ln(1 − p) − ln p)."""
        cut = self._cut()
        closed = cut / (2.0 * cut - 1.0) + 1.0 / ((-cut).log1p() - cut.log())
        x = self.probs - 0.5
        return closed.where(self._outside(), 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x)

    @property
    def variance(self) -> Tensor:
        """p (p − 1) / (1 − 2p)² + 1 / (ln(1 − p) − ln p)²."""
        cut = self._cut()
        closed = cut * (cut - 1.0) / (1.0 - 2.0 * cut).pow(2) + 1.0 / ((-cut).log1p() - cut.log()).pow(2)
        x = (self.probs - 0.5).pow(2)
        return closed.where(self._outside(), 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """The inverse distribution function of uniform numbers."""
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        """The Bernoulli's, plus the logarithm of what makes it integrate to 1."""
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        cross_entropy = functional("binary_cross_entropy_with_logits")(logits, value, reduction="none")
        result: Tensor = -cross_entropy + self._log_norm()
        return result

    def cdf(self, value: Tensor) -> Tensor:
        """(p^x (1 − p)^(1 − x) + p − 1) / (2p − 1)."""
        self._validate_sample(value)
        cut = self._cut()
        powers = cut.pow(value) * (1.0 - cut).pow(1.0 - value)
        inside = ((powers + cut - 1.0) / (2.0 * cut - 1.0)).where(self._outside(), value)
        return zeros_like(value).where(value.le(0.0), ones_like(value).where(value.ge(1.0), inside))

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of ``cdf``."""
        cut = self._cut()
        rise = (-cut + value * (2.0 * cut - 1.0)).log1p() - (-cut).log1p()
        closed: Tensor = rise / (cut.log() - (-cut).log1p())
        return closed.where(self._outside(), value)

    def entropy(self) -> Tensor:
        """mean · (ln(1 − p) − ln p) − ln norm − ln(1 − p)."""
        zero, one = (-self.probs).log1p(), self.probs.log()
        return self.mean * (zero - one) - self._log_norm() - zero
