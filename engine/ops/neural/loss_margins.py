"""Losses with a margin: ranking, hinges, triplets, embeddings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import common_shape
from engine.ops.core.unimplemented import unimplemented
from engine.ops.neural.distances import pairwise_distance
from engine.ops.neural.reduction import (
    MEAN,
    NONE,
    reduce_loss,
    reduced,
    reduction_number,
    share,
    torch_function,
)
from engine.ops.pointwise.arithmetic import add_number
from engine.ops.pointwise.precision import in_double
from engine.tensor import Tensor

EPSILON = 1e-12
"""Added to squared lengths before their root is taken."""


@composite(at="functional")
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The input where the target is 1, what it lacks to the margin where it is −1."""
    number = reduction_number(reduction, size_average, reduce)
    where, zeros = torch_function("where"), torch_function("zeros_like")(input)
    missing = torch_function("sub")(margin, input).clamp_min(0)
    loss = where(target != 1, missing, zeros) + where(target != -1, input, zeros)
    return reduce_loss(loss, number)


@composite(at="functional")
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """What the first lacks to exceed the second by the margin (target 1), or the other way round (−1)."""
    number = reduction_number(reduction, size_average, reduce)
    if input1.ndim != input2.ndim or input1.ndim != target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    return reduce_loss(add_number(-target * (input1 - input2), margin).clamp_min(0), number)


@composite(at="functional")
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """One minus the cosine where the target is 1, the cosine beyond the margin where it is −1."""
    number = reduction_number(reduction, size_average, reduce)
    if target.ndim not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.ndim == 1 and input1.ndim != 2:
        raise RuntimeError(
            "1D target tensor expects 2D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    if target.ndim == 0 and input1.ndim != 1:
        raise RuntimeError(
            "0D target tensor expects 1D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    dim = target.ndim
    product = (input1 * input2).sum(dim)
    length1 = add_number((input1 * input1).sum(dim), EPSILON)
    length2 = add_number((input2 * input2).sum(dim), EPSILON)
    cosine = product / (length1 * length2).sqrt()
    where, zeros = torch_function("where"), torch_function("zeros_like")(cosine)
    apart = torch_function("ones_like")(cosine) - cosine
    near = less(cosine, margin).clamp_min(0)
    return reduce_loss(where(target == 1, apart, zeros) + where(target == -1, near, zeros), number)


@operator(
    at="internal", name="sub", grad_fn="SubBackward1", formula="x − c", promotes="self other", self=lambda grad: grad
)
def less(self: Any, other: Any) -> Any:
    """Takes a number away; the gradient goes on unchanged."""
    return self - other


def check_triplet(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float) -> None:
    """Refuses what is no triplet.

    Raises:
        ValueError: a margin that is none.
        RuntimeError: tensors of different numbers of dimensions.
    """
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )


@composite(at="functional")
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How much nearer the positive should be to the anchor than the negative, to make it a margin."""
    number = reduction_number(reduction, size_average, reduce)
    check_triplet(anchor, positive, negative, margin)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = torch_function("min")(far, pairwise_distance(positive, negative, p, eps))
    return reduce_loss((add_number(near, margin) - far).clamp_min(0), number)


@composite(at="functional")
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with any distance."""
    check_triplet(anchor, positive, negative, margin)
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = torch_function("minimum")(far, distance(positive, negative))
    return reduce_loss((margin + near - far).clamp_min(0), reduction_number(reduction))


@operator(
    at="internal",
    name="soft_margin_loss",
    formula="ln(1 + exp(−y x))",
    saves="reduction self target",
    self=lambda grad, self, target, reduction: -share(grad, self, reduction) * target * (-target * self).sigmoid(),
)
def soft_margin(self: Any, target: Any, reduction: int = 1) -> Any:
    """A smooth hinge; far out there is hardly any slope where the sign is right, and slope one where it is wrong."""
    return reduced(in_double(lambda x, y: np.logaddexp(0, -y * x), self, target), reduction)


@composite(at="functional")
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """log(1 + exp(−y x)), targets 1 and −1."""
    common_shape(input._array.shape, target._array.shape)
    return soft_margin(input, target, reduction_number(reduction, size_average, reduce))


@composite(at="functional")
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Binary cross entropy of each class, averaged over the classes."""
    number = reduction_number(reduction, size_average, reduce)
    log_sigmoid = TABLES["functional"]["logsigmoid"]
    loss = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    dim = input.ndim - 1
    return reduce_loss(loss.sum(dim) / input.shape[dim], number)


# ── multi-class hinges ───────────────────────────────────────────────────────────────────────────────────────────────


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
    slope[np.arange(len(targets)), targets] = -slope.sum(1)
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
    """Hinge between the right class and all others."""
    number = reduction_number(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
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
    grad_fn="MultilabelMarginLossBackward0",
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
    """What each wrong class lacks to stay one below each right class; the pulls of all classes add up to zero."""
    if self.ndim > 2 or (self.ndim and not self.shape[-1]):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(self.shape)}"
        )
    if self.shape != target.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(self.shape)}")
    size = self.shape[-1] if self.ndim else 1
    scores, targets = self.reshape(-1, size), np.asarray(target).reshape(-1, size)
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
