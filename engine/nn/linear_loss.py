"""``nn.LinearCrossEntropyLoss``: a classifier's last layer and its loss in one module."""

from __future__ import annotations

import math
from typing import Any

from engine.nn import functional as F
from engine.nn.linear import Linear
from engine.nn.loss import _WeightedLoss


class LinearCrossEntropyLoss(_WeightedLoss):
    """Cross entropy of ``linear(input)``; ``options``, which save memory in PyTorch, change nothing here.

    Args:
        in_features: length of each input.
        num_classes: how many classes there are.
        out_features: further dimensions of the targets, behind the batch.
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Any = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: Any = None,
    ) -> None:
        super().__init__(weight, reduction=reduction)
        self.num_classes, self.out_features = num_classes, out_features
        self.ignore_index, self.label_smoothing, self.options = ignore_index, label_smoothing, options
        self.linear = Linear(in_features, num_classes * math.prod(out_features), bias, device, dtype)

    def forward(self, input: Any, target: Any) -> Any:
        """Features (N, in_features), class numbers (N, …) or probabilities (N, C, …)."""
        shape = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape(*shape, self.linear.in_features),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        """Settings."""
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, out_features={self.out_features}, "
            f"bias={self.linear.bias is not None}, reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )
