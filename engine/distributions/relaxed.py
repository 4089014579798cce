"""Choices made continuous so that gradients pass: the concrete distribution (Maddison et al. 2017, Jang et al. 2017).

The lower the ``temperature``, the closer the values are to 0 and 1.
"""

from __future__ import annotations

from typing import Any

from engine.distributions import constraints
from engine.distributions.discrete import Categorical, OneHotCategorical, PerCategory
from engine.distributions.event_transforms import StickBreakingTransform
from engine.distributions.normal import Normal
from engine.distributions.parameters import broadcast_all, clamp_probs, function_of
from engine.distributions.pointwise_transforms import ExpTransform, SigmoidTransform
from engine.distributions.probs_or_logits import ProbsOrLogits
from engine.distributions.transformed import TransformedDistribution
from engine.ops.random.numbers import rand
from engine.tensor import Tensor


class LogitRelaxedBernoulli(ProbsOrLogits):
    """The log-odds of a `RelaxedBernoulli`."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        self._take(probs, logits)
        self._begin(self._param.shape, (), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Logistic noise added to the log-odds, over the temperature."""
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        noise = clamp_probs(rand(shape, dtype=probs.dtype))
        return (noise.log() - (-noise).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        """ln τ + d − 2 ln(1 + e^d) with d = logits − τ · value."""
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value.mul(self.temperature)
        return self.temperature.log() + difference - 2 * difference.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """A number between 0 and 1 that is nearly a yes or a no."""

    arg_constraints = LogitRelaxedBernoulli.arg_constraints
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args)

    temperature = property(lambda self: self.base_dist.temperature)
    logits = property(lambda self: self.base_dist.logits)
    probs = property(lambda self: self.base_dist.probs)


class ExpRelaxedCategorical(PerCategory):
    """The logarithms of a `RelaxedOneHotCategorical`."""

    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Gumbel noise added to the logits, over the temperature, normalised."""
        noise = clamp_probs(rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        scores = (self.logits + -((-(noise.log())).log())) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        """The density of the normalised scores."""
        categories = self._categorical._num_events
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        counted = function_of("torch", "full_like")(self.temperature, float(categories)).lgamma()
        log_scale = counted - self.temperature.log().mul(-(categories - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """Shares that are nearly one-hot: Gumbel-softmax."""

    arg_constraints = Categorical.arg_constraints
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args)

    temperature = property(lambda self: self.base_dist.temperature)
    logits = property(lambda self: self.base_dist.logits)
    probs = property(lambda self: self.base_dist.probs)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One-hot values whose gradient is passed to the probabilities as if nothing had been rounded."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """The sample, plus the probabilities, minus the same detached."""
        samples = self.sample(sample_shape)
        return samples + (self.probs - self.probs.detach())


class LogisticNormal(TransformedDistribution):
    """Shares made by breaking a stick as normal numbers say."""

    arg_constraints = Normal.arg_constraints
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base if base.batch_shape else base.expand([1]), StickBreakingTransform(), validate_args)

    loc = property(lambda self: self.base_dist.base_dist.loc)
    scale = property(lambda self: self.base_dist.base_dist.scale)
