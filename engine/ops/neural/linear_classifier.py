"""A linear layer and its cross entropy as one function."""

from __future__ import annotations

from typing import Any

from engine.ops.core.declare import composite
from engine.ops.neural.cross_entropy import cross_entropy
from engine.ops.neural.linear import linear
from engine.tensor import Tensor


@composite(at="functional")
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """A linear layer and `cross_entropy` in one call (``options``, which save memory in PyTorch, change nothing here).

    Raises:
        RuntimeError: sizes that do not go together.
    """
    if input.ndim not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.ndim}")
    if linear_weight.ndim < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {linear_weight.ndim}")
    if input.shape[-1] != linear_weight.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{input.shape[-1]} and {linear_weight.shape[-1]}, respectively"
        )
    classes = linear_weight.shape[:1]
    if linear_bias is not None and linear_weight.ndim == 2 and tuple(linear_bias.shape) != tuple(classes):
        raise RuntimeError(f"expected linear_bias shape {tuple(classes)}, got {tuple(linear_bias.shape)}")
    classes, *features = linear_weight.shape[:-1]
    if features and input.ndim == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires batched input, "
            f"(N, {input.shape[-1]}), got unbatched input with shape {tuple(input.shape)}"
        )
    rows = linear_weight.flatten(0, -2) if features else linear_weight
    bias = linear_bias.flatten() if linear_bias is not None and features else linear_bias
    logits = linear(input, rows, bias)
    # PyTorch's view of a lone row, or beside probabilities.
    if features or input.ndim == 1 or logits.shape == target.shape:
        logits = logits.unflatten(-1, (classes, *features))
    if logits.shape == target.shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    ignored = -100 if ignore_index is None else ignore_index
    return cross_entropy(logits, target, weight, None, ignored, None, reduction, label_smoothing)
