"""Yes or no, and one of several: Bernoulli, categorical, one-hot categorical. Known by ``probs`` or by ``logits``."""

from __future__ import annotations

import math
from typing import Any

from engine import dtype as dtypes
from engine.autograd.modes import no_grad
from engine.distributions import constraints
from engine.distributions.distribution import Distribution
from engine.distributions.exponential_family import ExponentialFamily
from engine.distributions.parameters import (
    Lazy,
    broadcast_all,
    function_of,
    functional,
    logits_to_probs,
    probs_to_logits,
)
from engine.distributions.probs_or_logits import ProbsOrLogits, require_one
from engine.ops.factories.sequences import arange
from engine.ops.layout.expansion import broadcast_tensors
from engine.ops.random.draws import bernoulli, multinomial
from engine.size import Size
from engine.tensor import Tensor
from engine.type_info import finfo


class Bernoulli(ProbsOrLogits, ExponentialFamily):
    """1 with probability ``probs``, else 0."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._take(probs, logits)
        self._begin(self._param.shape, (), validate_args)

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    @property
    def mode(self) -> Tensor:
        """1 from a probability of ½ on; exactly there, nan."""
        likelier: Tensor = (self.probs >= 0.5).to(self.probs.dtype)
        return likelier.masked_fill(self.probs == 0.5, math.nan)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Zeros and ones."""
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """−(binary cross-entropy of ``value`` with the logits)."""
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -functional("binary_cross_entropy_with_logits")(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        """Binary cross-entropy with itself."""
        cross_entropy = functional("binary_cross_entropy_with_logits")
        return cross_entropy(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """0 and 1."""
        return self._enumerated(arange(2, dtype=self._param.dtype), expand)


class Categorical(Distribution):
    """One of ``probs.shape[-1]`` categories, with probabilities in proportion to ``probs`` or e to ``logits``.

    Raises:
        ValueError: no dimension of categories.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _batched = ("_param",)

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        require_one(probs, logits)
        name, given = ("probs", probs) if probs is not None else ("logits", logits)
        assert given is not None
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.__dict__[name] = self._param = probs / probs.sum(-1, keepdim=True)
        else:
            self.__dict__[name] = self._param = given - given.logsumexp(-1, keepdim=True)
        self._num_events = self._param.shape[-1]
        self._begin(self._param.shape[:-1], (), validate_args)

    @Lazy
    def logits(self) -> Tensor:
        """Logarithms of the probabilities."""
        return probs_to_logits(self.probs)

    @Lazy
    def probs(self) -> Tensor:
        """Probabilities."""
        return logits_to_probs(self.logits)

    support = constraints.dependent_property(
        lambda self: constraints.integer_interval(0, self._num_events - 1), is_discrete=True, event_dim=0
    )
    param_shape = property(lambda self: self._param.size())
    mean = variance = property(lambda self: self._everywhere(math.nan, self.probs))
    mode = property(lambda self: self.probs.argmax(-1))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Categories; a choice has no gradient."""
        count = Size(sample_shape).numel()
        chosen = multinomial(self.probs.reshape(-1, self._num_events), count, True).T
        return chosen.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logit of the category."""
        self._validate_sample(value)
        index, logits = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, index[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        """−Σ p ln p."""
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """0 up to the number of categories."""
        return self._enumerated(arange(self._num_events, dtype=dtypes.int64), expand)


class PerCategory(Distribution):
    """Vectors with an element for each category of a `Categorical`, which keeps the parameters."""

    arg_constraints = Categorical.arg_constraints
    _batched = ("_categorical",)

    def __init__(self, probs: Tensor | None, logits: Tensor | None, validate_args: bool | None) -> None:
        self._categorical = Categorical(probs, logits)
        self._begin(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args)

    probs = property(lambda self: self._categorical.probs)
    logits = property(lambda self: self._categorical.logits)
    param_shape = property(lambda self: self._categorical.param_shape)


class OneHotCategorical(PerCategory):
    """A categorical whose values are one-hot vectors."""

    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(probs, logits, validate_args)

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    def _one_hot(self, index: Tensor) -> Tensor:
        return functional("one_hot")(index, self._categorical._num_events).to(self.probs.dtype)

    mode = property(lambda self: self._one_hot(self._categorical.mode))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """One-hot vectors."""
        return self._one_hot(self._categorical.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logit of the place of the one."""
        self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        """The categorical's."""
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Every one-hot vector."""
        (size,) = self._event_shape
        values = function_of("torch", "eye")(size, dtype=self.probs.dtype)
        values = values.view(size, *(1 for _ in self._batch_shape), size)
        return values.expand(size, *self._batch_shape, size) if expand else values
