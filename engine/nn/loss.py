"""What loss layers have in common: each keeps its settings and calls the function of its name."""

from __future__ import annotations

from typing import Any

from engine.nn.module import Module
from engine.ops.neural.reduction import REDUCTIONS, reduction_number


class _Loss(Module):
    """A loss with a reduction."""

    reduction: str

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            number = reduction_number(reduction, size_average, reduce)
            reduction = next(name for name, held in REDUCTIONS.items() if held == number)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """A loss with a weight per class."""

    def __init__(
        self, weight: Any = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
