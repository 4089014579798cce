"""Losses between numbers and numbers: mean squared error, absolute error, and what lies between them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import composite, operator
from engine.ops.core.on_arrays import takes_arrays
from engine.ops.core.refused_dtypes import floats_only
from engine.ops.neural.reduction import MEAN, broadcast_pair, reduce_loss, reduced, reduction_number
from engine.ops.pointwise.precision import in_float, is_half
from engine.tensor import Tensor


@operator(
    at="internal",
    name="mse_loss",
    formula="mean (x − y)²",
    promotes="self target",
    saves="reduction self target",
    self=lambda grad, self, target, reduction, self_numel: (
        grad / self_numel * 2 * (self - target) if reduction == 1 else grad * 2 * (self - target)
    ),
    target=lambda grad, self, target, reduction, self_numel: (
        grad / self_numel * -2 * (self - target) if reduction == 1 else grad * -2 * (self - target)
    ),
)
def squared_error(self: Any, target: Any, reduction: int = 1) -> Any:
    """Squares each difference; the slope is twice the difference, so large errors pull hardest."""
    floats_only(self, "mse_cpu")
    difference = self - target
    return reduced(difference * difference, reduction)


@operator(
    at="internal",
    name="smooth_l1_loss",
    formula="½ d² / β if |d| < β else |d| − ½ β",
    promotes="self target",
    saves="beta reduction self target",
    self=lambda grad, self, target, reduction, beta, self_numel: (
        1 / self_numel * ((self - target) / beta).clamp(-1, 1) * grad
        if reduction == 1
        else grad * ((self - target) / beta).clamp(-1, 1)
    ),
    target=lambda grad, self, target, reduction, beta, self_numel: (
        -1 / self_numel * ((self - target) / beta).clamp(-1, 1) * grad
        if reduction == 1
        else -grad * ((self - target) / beta).clamp(-1, 1)
    ),
)
def smooth_absolute_error(self: Any, target: Any, reduction: int = 1, beta: float = 1.0) -> Any:
    """Squared error for small differences, absolute error for large ones; the pull never exceeds one."""
    floats_only(self, "smooth_l1_cpu")

    def compute(x: Any, y: Any) -> Any:
        size = np.abs(x - y)
        return np.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta).astype(size.dtype)

    in_steps = is_half(self) and self.dtype.kind == "f"  # bfloat16 is widened before the difference
    return reduced(compute(self, target) if in_steps else in_float(compute, self, target), reduction)


@operator(
    at="internal",
    name="huber_loss",
    formula="½ d² if |d| ≤ δ else δ (|d| − ½ δ)",
    promotes="self target",
    saves="delta reduction self target",
    self=lambda grad, self, target, reduction, delta, self_numel: (
        1 / self_numel * (self - target).clamp(-delta, delta) * grad
        if reduction == 1
        else grad * (self - target).clamp(-delta, delta)
    ),
    target=lambda grad, self, target, reduction, delta, self_numel: (
        -1 / self_numel * (self - target).clamp(-delta, delta) * grad
        if reduction == 1
        else -grad * (self - target).clamp(-delta, delta)
    ),
)
def huber(self: Any, target: Any, reduction: int = 1, delta: float = 1.0) -> Any:
    """Squared error up to δ, beyond it a straight line; outliers pull with δ at most."""
    floats_only(self, "huber_cpu")

    def compute(x: Any, y: Any) -> Any:
        size, half, bound = np.abs(x - y), x.dtype.type(0.5), x.dtype.type(delta)
        return np.where(size <= bound, half * size * size, bound * (size - half * bound))

    in_steps = is_half(self) and self.dtype.kind == "V"  # float16 is widened before the difference
    return reduced(compute(self, target) if in_steps else in_float(compute, self, target), reduction)


@takes_arrays
def squared_error_rounded(grad: Any, self: Any, target: Any, reduction: int) -> Any:
    """``2/n · (x − y) · grad``, halves at each step."""
    factor = np.float64(2 / self.size if reduction == MEAN and self.size else 2)
    return self.dtype.type(factor) * (self - target) * grad


squared_error.bare = {
    "self": lambda grad, self, target, reduction: squared_error_rounded(grad, self, target, reduction),
    "target": lambda grad, self, target, reduction: squared_error_rounded(grad, target, self, reduction),
}
squared_error.rounds_steps = True


def warn_of_broadcast(input: Tensor, target: Tensor) -> None:
    """A target of another shape is almost always a mistake: every input meets every target."""
    if input._array.shape != target._array.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=4,
        )


def weighted(loss: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """A loss per element under weights: their weighted mean, their sum, or as they are.

    Raises:
        ValueError: weights of another shape.
    """
    if weight.shape != loss.shape:
        raise ValueError("Inputs and weights must have the same size.")
    loss = loss * weight
    if reduction == "none":
        return loss
    return loss.sum() if reduction == "sum" else loss.sum() / weight.sum()


@composite(at="functional")
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The mean (or sum) of squared differences."""
    warn_of_broadcast(input, target)
    number = reduction_number(reduction, size_average, reduce)
    input, target = broadcast_pair(input, target)
    if weight is not None:
        return weighted(squared_error(input, target, 0), weight, reduction)
    return squared_error(input, target, number)


@composite(at="functional")
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The mean (or sum) of absolute differences."""
    warn_of_broadcast(input, target)
    number = reduction_number(reduction, size_average, reduce)
    input, target = broadcast_pair(input, target)
    if weight is not None:
        return weighted((input - target).abs(), weight, reduction)
    return reduce_loss((input - target).abs(), number)


@composite(at="functional")
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Squared below ``beta``, absolute above.

    Raises:
        RuntimeError: a negative ``beta``.
    """
    warn_of_broadcast(input, target)
    number = reduction_number(reduction, size_average, reduce)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    input, target = broadcast_pair(input, target)
    if beta == 0:
        return reduce_loss((input - target).abs(), number)
    return smooth_absolute_error(input, target, number, beta)


@composite(at="functional")
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Squared up to ``delta``, a straight line beyond.

    Raises:
        RuntimeError: a ``delta`` that is not positive, or whole numbers against floats.
    """
    warn_of_broadcast(input, target)
    number = reduction_number(reduction)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if target.dtype.category > input.dtype.category:  # PyTorch writes into the dtype of the first
        raise RuntimeError(
            f"result type {scalar_type(target)} can't be cast to the desired output type {scalar_type(input)}"
        )
    input, target = broadcast_pair(input, target)
    if weight is not None:
        return weighted(huber(input, target, 0, delta), weight, reduction)
    return huber(input, target, number, delta)
