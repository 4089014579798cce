"""``gumbel_softmax``: a differentiable choice among categories."""

from __future__ import annotations

import warnings

from engine.ops.core.declare import composite
from engine.ops.factories.filled import empty_like, zeros_like
from engine.placement import contiguous_format
from engine.tensor import Tensor


@composite(at="functional")
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Softmax of logits plus Gumbel noise at temperature ``tau``; ``hard`` makes it one-hot on the way forward only."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=3)
    noise = -empty_like(logits, memory_format=contiguous_format).exponential_().log()
    soft: Tensor = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot: Tensor = zeros_like(logits, memory_format=contiguous_format).scatter_(dim, index, 1.0)
    straight_through: Tensor = one_hot - soft.detach() + soft
    return straight_through
