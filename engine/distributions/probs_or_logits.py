"""Distributions of trials that succeed or fail: known by the probability of success, ``probs``, or its log-odds, ``logits``."""

from __future__ import annotations

from typing import Any

from engine.distributions.distribution import Distribution
from engine.distributions.parameters import Lazy, broadcast_all, logits_to_probs, probs_to_logits
from engine.tensor import Tensor


def require_one(probs: Any, logits: Any) -> None:
    """Raises ValueError: both are given, or neither."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class ProbsOrLogits(Distribution):
    """Keeps the one that is given; the other is computed, with gradients, when it is first asked for."""

    _batched = ("_param",)
    _param: Tensor

    def _take(self, probs: Any, logits: Any, *others: Any) -> list[Tensor]:
        """Keeps ``probs`` or ``logits``, and returns the other parameters; all broadcast against each other.

        Raises:
            ValueError: both are given, or neither.
        """
        require_one(probs, logits)
        name, given = ("probs", probs) if probs is not None else ("logits", logits)
        *rest, self._param = broadcast_all(*others, given)
        self.__dict__[name] = self._param
        return rest

    @Lazy
    def logits(self) -> Tensor:
        """Log-odds of success."""
        return probs_to_logits(self.probs, is_binary=True)

    @Lazy
    def probs(self) -> Tensor:
        """Probability of success."""
        return logits_to_probs(self.logits, is_binary=True)

    param_shape = property(lambda self: self._param.size())
