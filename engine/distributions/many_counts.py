"""Counts from repeated trials: multinomial and negative binomial."""

from __future__ import annotations

import math
from typing import Any

from engine.autograd.modes import no_grad
from engine.distributions import constraints
from engine.distributions.counts import Binomial
from engine.distributions.discrete import PerCategory
from engine.distributions.gamma import Gamma
from engine.distributions.parameters import broadcast_all, functional
from engine.distributions.probs_or_logits import ProbsOrLogits
from engine.ops.factories.creation import tensor
from engine.ops.random.draws import poisson
from engine.size import Size
from engine.tensor import Tensor


class Multinomial(PerCategory):
    """How often each category comes up in ``total_count`` draws.

    Raises:
        NotImplementedError: a number of draws that is not the same for all.
    """

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        super().__init__(probs, logits, validate_args)

    support = constraints.dependent_property(
        lambda self: constraints.multinomial(self.total_count), is_discrete=True, event_dim=1
    )
    mean = property(lambda self: self.probs * self.total_count)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Counts of categories drawn one by one."""
        drawn = self._categorical.sample((self.total_count, *sample_shape))
        drawn = drawn.permute(*range(1, drawn.dim()), 0)
        counts = drawn.new_zeros(self._extended_shape(sample_shape))
        counts.scatter_add_(-1, drawn, drawn.new_ones(drawn.shape))
        return counts.type_as(self.probs)

    def log_prob(self, value: Tensor) -> Tensor:
        """ln n! − Σ ln x! + Σ x · logit."""
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone()
        arrangements = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        logits[(value == 0) & (logits == -math.inf)] = 0
        return arrangements + (logits * value).sum(-1)

    def entropy(self) -> Tensor:
        """n times the categorical's, less ln n!, plus the expected Σ ln x!."""
        n = tensor(self.total_count)
        first = n * self._categorical.entropy() - (n + 1).lgamma()
        each = Binomial(self.total_count, self.probs)
        support = each.enumerate_support(expand=False)[1:]
        probabilities = each.log_prob(support).exp()
        return first + (probabilities * (support + 1).lgamma()).sum([0, -1])


class NegativeBinomial(ProbsOrLogits):
    """How many trials succeed before ``total_count`` fail."""

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        (count,) = self._take(probs, logits, total_count)
        self.total_count: Tensor = count.type_as(self._param)
        self._begin(self._param.shape, (), validate_args)

    mean = property(lambda self: self.total_count * self.logits.exp())
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance = property(lambda self: self.mean / (-self.logits).sigmoid())

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Poisson counts of a gamma-distributed rate."""
        with no_grad():
            rates = Gamma(self.total_count, (-self.logits).exp(), validate_args=False).sample(Size(sample_shape))
            return poisson(rates)

    def log_prob(self, value: Tensor) -> Tensor:
        """n ln(1 − p) + x ln p + ln Γ(n + x) − ln Γ(1 + x) − ln Γ(n)."""
        self._validate_sample(value)
        logsigmoid, count = functional("logsigmoid"), self.total_count
        unnormalised = count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        normaliser = -(count + value).lgamma() + (1.0 + value).lgamma() + count.lgamma()
        return unnormalised - normaliser.masked_fill(count + value == 0.0, 0.0)
