"""Hinges between classes: the right one against all others, and every right one against every wrong one."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import composite, operator
from engine.ops.core.handed_on import require_kind
from engine.ops.core.unimplemented import unimplemented
from engine.ops.neural.loss_weights import check_weight
from engine.ops.neural.reduction import MEAN, NONE, reduced, reduction_number
from engine.tensor import Tensor


def hinges(self: Any, target: Any, margin: float, weight: Any) -> tuple[Any, Any, Any]:
    """For scores (N, C) and targets (N,): hinge values, which are active, weight per sample."""
    rows = np.arange(len(target))
    value = margin - self[rows, target][:, None] + self
    active = value > 0
    active[rows, target] = False
    scale = np.ones(len(target), self.dtype) if weight is None else weight[target]
    return np.where(active, value, 0), active, scale


def check_multi_margin(self: Any, target: Any, weight: Any) -> tuple[Any, Any]:
    """Scores as (N, C), targets as (N,).

    Raises:
        RuntimeError: sizes that do not go together, or a target that is no class.
    """
    scores = self.reshape(1, -1) if self.ndim <= 1 else self
    targets = np.asarray(target).reshape(-1)
    if scores.ndim != 2 or scores.shape[1] == 0:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(self.shape)}"
        )
    if np.asarray(target).ndim > 1 or targets.size != scores.shape[0]:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). "
            f"Expected target size [{scores.shape[0]}], but got {list(np.shape(target))}. Input has shape {list(self.shape)}."
        )
    if weight is not None and (weight.ndim > 1 or weight.size != scores.shape[1]):
        raise RuntimeError(f"inconsistent weight size, expected {scores.shape[1]} but got {list(weight.shape)}")
    if targets.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {scalar_type(targets)}")
    if np.any((targets < 0) | (targets >= scores.shape[1])):
        raise RuntimeError("target out of range")
    return scores, targets


@operator(
    at="internal",
    name="multi_margin_loss",
    formula="Σ max(0, m − x[y] + x[i])ᵖ / C",
    saves="margin p reduction self target weight",
    self=lambda grad, self, target, p, margin, weight, reduction: multi_margin_backward(
        grad, self, target, p, margin, weight, reduction
    ),
)
def multi_margin(
    self: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, reduction: int = 1
) -> Any:
    """What each wrong class lacks to stay a margin below the right one; a wrong class that lacks nothing gets no
    gradient.
    """
    scores, targets = check_multi_margin(self, target, weight)
    value, _, scale = hinges(scores, targets, margin, weight)
    each = ((value if p == 1 else value * value).sum(1) * scale / scores.shape[1]).astype(self.dtype)
    return reduced(each.reshape(np.shape(target)) if self.ndim > 1 else each.reshape(()), reduction)


@operator(
    at="internal",
    name="multi_margin_loss_backward",
    grad_fn="NotImplemented",
    **unimplemented("multi_margin_loss_backward", "grad self"),
)
def multi_margin_backward(grad: Any, self: Any, target: Any, p: int, margin: float, weight: Any, reduction: int) -> Any:
    """``multi_margin_loss``'s derivative as an operation of its own. PyTorch gives it no derivative."""
    scores, targets = check_multi_margin(self, target, weight)
    value, active, scale = hinges(scores, targets, margin, weight)
    slope = (active if p == 1 else 2 * value) * scale[:, None] / scores.shape[1]
    slope[np.arange(len(targets)), targets] = 0 - slope.sum(1)  # nothing lost is 0, not -0
    each = np.asarray(grad).reshape(-1, 1) / (len(targets) if reduction == MEAN else 1)
    return (slope * each).astype(self.dtype).reshape(self.shape)


@composite(at="functional")
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Hinge between the right class and all others.

    Raises:
        ValueError: a power that is neither 1 nor 2, or a weight that is no vector.
    """
    number = reduction_number(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    require_kind(margin, "Number", "multi_margin_loss", "margin", 4)
    check_weight(weight, input, "multi_margin_loss", same_dtype=input.dtype.is_floating_point)
    return multi_margin(input, target, p, float(margin), weight, number)


def labels_of(target: Any) -> Any:
    """How often each class is listed before the first −1."""
    listed = np.cumprod(target >= 0, axis=1).astype(bool)
    times = np.zeros(target.shape, np.int64)
    rows = np.broadcast_to(np.arange(len(target))[:, None], target.shape)
    np.add.at(times, (rows[listed], target[listed]), 1)
    return times


def label_hinges(scores: Any, times: Any) -> tuple[Any, Any]:
    """(N, right, wrong class): what the wrong one lacks to stay one below the right one, and how often it counts."""
    value = 1 - scores[:, :, None] + scores[:, None, :]
    return value, np.where((value > 0) & (times == 0)[:, None, :], times[:, :, None], 0)


@operator(
    at="internal",
    name="multilabel_margin_loss",
    formula="Σ max(0, 1 − x[y] + x[i]) / C",
    outputs="output is_target",
    nondifferentiable=(1,),
    undefined_gradients=True,
    saves="is_target reduction self target",
    self=lambda grads, self, target, reduction, is_target: multilabel_margin_backward(
        grads[0], self, target, reduction, is_target
    ),
)
def multilabel_margin(self: Any, target: Any, reduction: int = 1) -> Any:
    """What each wrong class lacks to stay one below each right class; the pulls of all classes add up to zero.

    Raises:
        RuntimeError: a target of another shape, or classes that do not exist.
    """
    if self.ndim > 2 or (self.ndim and not self.shape[-1]):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(self.shape)}"
        )
    if self.shape != target.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(self.shape)}")
    size = self.shape[-1] if self.ndim else 1
    scores, targets = self.reshape(-1, size), np.asarray(target).reshape(-1, size)
    if np.any((targets < -1) | (targets >= size)):
        raise RuntimeError("argument #2 'target' is out of range")
    times = labels_of(targets)
    value, counted = label_hinges(scores, times)
    each = ((value * counted).sum((1, 2)) / scores.shape[1]).astype(self.dtype)
    loss = each.reshape(()) if self.ndim < 2 and reduction == NONE else reduced(each, reduction)
    return loss, (times > 0).astype(self.dtype).reshape(self.shape)


@operator(
    at="internal",
    name="multilabel_margin_loss_backward",
    grad_fn="NotImplemented",
    **unimplemented("multilabel_margin_loss_backward", "grad self"),
)
def multilabel_margin_backward(grad: Any, self: Any, target: Any, reduction: int, is_target: Any) -> Any:
    """``multilabel_margin_loss``'s derivative as an operation of its own. PyTorch gives it no derivative."""
    size = self.shape[-1] if self.ndim else 1
    scores, targets = self.reshape(-1, size), np.asarray(target).reshape(-1, size)
    _, counted = label_hinges(scores, labels_of(targets))
    slope = (counted.sum(1) - counted.sum(2)) / size
    each = np.asarray(grad).reshape(-1, 1) / (len(scores) if reduction == MEAN else 1)
    return (slope * each).astype(self.dtype).reshape(self.shape)


@composite(at="functional")
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Hinge between every right class (listed in ``target`` up to −1) and every wrong one."""
    return multilabel_margin(input, target, reduction_number(reduction, size_average, reduce))[0]
