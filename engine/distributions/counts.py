"""Counts: Poisson, geometric and binomial."""

from __future__ import annotations

from typing import Any

from engine.autograd.modes import no_grad
from engine.distributions import constraints
from engine.distributions.exponential_family import ExponentialFamily
from engine.distributions.parameters import broadcast_all, functional
from engine.distributions.probs_or_logits import ProbsOrLogits
from engine.ops.factories.filled import empty, zeros_like
from engine.ops.factories.sequences import arange
from engine.ops.random.draws import binomial, poisson
from engine.tensor import Tensor
from engine.type_info import finfo


class Poisson(ExponentialFamily):
    """How often something happens that happens ``rate`` times on average."""

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    rate: Tensor

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._begin_with(validate_args, rate=rate)

    mean = variance = property(lambda self: self.rate)
    mode = property(lambda self: self.rate.floor())

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Counts."""
        with no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """x ln λ − λ − ln x!."""
        self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()


class Geometric(ProbsOrLogits):
    """How many trials fail before the first success.

    Raises:
        ValueError: probabilities outside (0, 1].
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take(probs, logits)
        self._begin(self._param.shape, (), validate_args)
        if self._validate_args and probs is not None and not bool((self.probs > 0).all()):
            raise ValueError(
                f"Expected parameter probs ({type(self.probs).__name__} of shape {tuple(self.probs.shape)}) of distribution "
                f"{self!r} to be positive but found invalid values:\n{self.probs[self.probs <= 0]}"
            )

    mean = property(lambda self: 1.0 / self.probs - 1.0)
    mode = property(lambda self: zeros_like(self.probs))
    variance = property(lambda self: (1.0 / self.probs - 1.0) / self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """⌊ln u / ln(1 − p)⌋."""
        with no_grad():
            smallest = finfo(self.probs.dtype).tiny
            u = empty(self._extended_shape(sample_shape), dtype=self.probs.dtype).uniform_(smallest, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        """x ln(1 − p) + ln p."""
        self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.masked_fill(probs.eq(1) & value.eq(0), 0)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        """A Bernoulli's, for each of the expected trials."""
        cross_entropy = functional("binary_cross_entropy_with_logits")
        return cross_entropy(self.logits, self.probs, reduction="none") / self.probs


class Binomial(ProbsOrLogits):
    """How many of ``total_count`` trials succeed."""

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True
    total_count: Tensor

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        (count,) = self._take(probs, logits, total_count)
        self.total_count = count.type_as(self._param)
        self._begin(self._param.shape, (), validate_args)

    support = constraints.dependent_property(
        lambda self: constraints.integer_interval(0, self.total_count), is_discrete=True, event_dim=0
    )
    mean = property(lambda self: self.total_count * self.probs)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))
    mode = property(lambda self: ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Counts of successes."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """ln C(n, k) + k·logit − n·ln(1 + e^logit), the latter in a form that cannot overflow."""
        self._validate_sample(value)
        n, logits = self.total_count, self.logits
        above = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        normaliser = n * above + n * (-logits.abs()).exp().log1p() - (n + 1).lgamma()
        return value * logits - (value + 1).lgamma() - (n - value + 1).lgamma() - normaliser

    def entropy(self) -> Tensor:
        """−Σ p ln p over all counts."""
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """0 up to the number of trials, which must be one for all.

        Raises:
            NotImplementedError: it is not.
        """
        counts = self.total_count._array
        if counts.min() != counts.max():
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        return self._enumerated(arange(1 + int(counts.max()), dtype=self._param.dtype), expand)
