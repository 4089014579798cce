"""Backward kernels of the losses, which a gradient's own graph shows as one node (see `engine.ops.core.recorded`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import operator
from engine.ops.core.recorded import recorded
from engine.ops.neural.binary_losses import (
    cross_entropy_of_logit,
    cross_entropy_of_probability,
    logit_slope,
    target_slope,
)
from engine.ops.neural.loss_margins import soft_margin
from engine.ops.neural.reduction import MEAN, NONE, share
from engine.ops.neural.regression_losses import huber, smooth_absolute_error, squared_error
from engine.ops.pointwise.exponential import sigmoid
from engine.ops.pointwise.precision import in_double
from engine.ops.selection.masks import where
from engine.tensor import Tensor


def logit_backward(
    grad: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None, reduction: int
) -> Tensor:
    """The slope times the gradient, the weight and the share, one after the other."""
    slope = logit_slope(self, target, pos_weight) * grad
    return share(slope if weight is None else slope * weight, self, reduction)


def mean_share(grad: Tensor, elements: Tensor, reduction: int) -> Tensor:
    """A gradient to a loss of one number, of what its backward kernel gives for each element."""
    return grad if reduction == NONE else grad.sum() / elements.numel() if reduction == MEAN else grad.sum()


@operator(
    at="internal",
    formula="2 · (x − y) · g",
    grad_output=lambda grad, self, target, reduction: mean_share(grad * 2 * (self - target), self, reduction),
    self=lambda grad, grad_output, self, reduction: share(grad * grad_output * 2, self, reduction),
    target=lambda grad, grad_output, self, reduction: -share(grad * grad_output * 2, self, reduction),
)
def mse_loss_backward(grad_output: Any, self: Any, target: Any, reduction: int) -> Any:
    """``mse_loss``'s derivative as an operation of its own."""
    factor = self.dtype.type(2 / self.size if reduction == MEAN else 2)
    return factor * (self - target) * grad_output


@operator(
    at="internal",
    formula="g · clip((x − y) / β)",
    saves="beta grad_output reduction self target",
    grad_output=lambda grad, self, target, reduction, beta: mean_share(
        grad * ((self - target) / beta).clamp(-1, 1), self, reduction
    ),
    self=lambda grad, grad_output, self, target, reduction, beta: (
        share(grad * grad_output / beta, self, reduction) * ((self - target).abs() < beta)
    ),
    target=lambda grad, grad_output, self, target, reduction, beta: (
        -share(grad * grad_output / beta, self, reduction) * ((self - target).abs() < beta)
    ),
)
def smooth_l1_loss_backward(grad_output: Any, self: Any, target: Any, reduction: int, beta: float) -> Any:
    """``smooth_l1_loss``'s derivative as an operation of its own."""
    factor = self.dtype.type(1 / self.size if reduction == MEAN else 1)
    slope = np.sign(self - target) if beta == 0 else np.clip((self - target) / self.dtype.type(beta), -1, 1)
    return factor * slope.astype(self.dtype) * grad_output


@operator(
    at="internal",
    formula="g · (x − y) between ±δ, g · ±δ beyond",
    saves="delta grad_output reduction self target",
    grad_output=lambda grad, self, target, reduction, delta: mean_share(
        grad * bounded(self - target, delta), self, reduction
    ),
    self=lambda grad, grad_output, self, target, reduction, delta: (
        share(grad * grad_output, self, reduction) * ((self - target).abs() < delta)
    ),
    target=lambda grad, grad_output, self, target, reduction, delta: (
        -share(grad * grad_output, self, reduction) * ((self - target).abs() < delta)
    ),
)
def huber_loss_backward(grad_output: Any, self: Any, target: Any, reduction: int, delta: float) -> Any:
    """``huber_loss``'s derivative as an operation of its own."""
    factor = self.dtype.type(1 / self.size if reduction == MEAN else 1)
    return factor * np.clip(self - target, -delta, delta).astype(self.dtype) * grad_output


@operator(
    at="internal",
    formula="g · (x − y) / (x · (1 − x))",
    saves="grad_output reduction self target weight",
    grad_output=lambda grad, self, target, weight, reduction: mean_share(
        weighed(grad * (self - target) / ((1 - self) * self).clamp_min(1e-12), weight), self, reduction
    ),
    self=lambda grad, grad_output, self, target, weight, reduction: weighed(
        share(grad * grad_output, self, reduction) * probability_bend(self, target), weight
    ),
    target=lambda grad, grad_output, self, weight, reduction: weighed(
        -share(grad * grad_output, self, reduction) / ((1 - self) * self).clamp_min(1e-12), weight
    ),
)
def binary_cross_entropy_backward(
    grad_output: Any, self: Any, target: Any, weight: Any = None, reduction: int = 1
) -> Any:
    """``binary_cross_entropy``'s derivative as an operation of its own."""
    slope = grad_output * (self - target) / np.maximum((1 - self) * self, self.dtype.type(1e-12))
    slope = slope if weight is None else slope * weight
    return slope / self.dtype.type(self.size) if reduction == MEAN else slope


def bounded(difference: Tensor, delta: float) -> Tensor:
    """The difference up to ±δ; on the bound itself it counts as cut off."""
    return where(difference.abs() < delta, difference, difference.sign() * delta)


def probability_bend(self: Tensor, target: Tensor) -> Tensor:
    """The cross-entropy's second slope, kept from infinity as PyTorch keeps it."""
    yes, no = self + 1e-12, 1 - self + 1e-12
    return (self * self - 2 * self * target + target) / (yes * yes * no * no)


def weighed(slope: Tensor, weight: Tensor | None) -> Tensor:
    """The slope times the weight, if there is one."""
    return slope if weight is None else slope * weight


@operator(
    at="internal",
    formula="−g · y · σ(−y x)",
    grad_output=lambda grad, self, target, reduction: mean_share(
        grad * (-target * sigmoid(-target * self)), self, reduction
    ),
    self=lambda grad, grad_output, self, target, reduction: share(
        grad * grad_output * (target * target * sigmoid(target * self) * sigmoid(-target * self)), self, reduction
    ),
)
def soft_margin_loss_backward(grad_output: Any, self: Any, target: Any, reduction: int) -> Any:
    """``soft_margin_loss``'s derivative as an operation of its own."""
    factor = 1 / self.size if reduction == MEAN else 1
    return in_double(lambda g, x, y: -factor * g * y / (1 + np.exp(y * x)), grad_output, self, target)


recorded(
    cross_entropy_of_logit,
    self=logit_backward,
    target=lambda grad, self, target, weight, pos_weight, reduction: share(
        weighed(target_slope(self, pos_weight) * grad, weight), self, reduction
    ),
)
recorded(
    cross_entropy_of_probability,
    self=lambda grad, self, target, weight, reduction: binary_cross_entropy_backward(
        grad, self, target, weight, reduction
    ),
    target=lambda grad, self, weight, reduction: share(weighed(-self.logit() * grad, weight), self, reduction),
)
recorded(
    huber,
    self=lambda grad, self, target, reduction, delta: huber_loss_backward(grad, self, target, reduction, delta),
    target=lambda grad, self, target, reduction, delta: huber_loss_backward(grad, target, self, reduction, delta),
)
recorded(
    squared_error,
    self=lambda grad, self, target, reduction: mse_loss_backward(grad, self, target, reduction),
    target=lambda grad, self, target, reduction: mse_loss_backward(grad, target, self, reduction),
)
recorded(
    smooth_absolute_error,
    self=lambda grad, self, target, reduction, beta: smooth_l1_loss_backward(grad, self, target, reduction, beta),
    target=lambda grad, self, target, reduction, beta: smooth_l1_loss_backward(grad, target, self, reduction, beta),
)
recorded(
    soft_margin,
    self=lambda grad, self, target, reduction: soft_margin_loss_backward(grad, self, target, reduction),
)
