"""Losses with a margin between two inputs, or an input and a sign: ranking, embeddings, triplets, soft hinges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.ops.core.catalogue import TABLES, torch_function
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import common_shape
from engine.ops.core.handed_on import require_kind
from engine.ops.core.on_arrays import takes_arrays
from engine.ops.neural.distances import pairwise_distance
from engine.ops.neural.reduction import (
    MEAN,
    reduce_loss,
    reduced,
    reduction_number,
    share,
)
from engine.ops.pointwise.arithmetic import add_number, sub_number
from engine.ops.pointwise.exponential import exp, log1p
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
    """What the first lacks to exceed the second by the margin (target 1), or the other way round (−1).

    Raises:
        RuntimeError: inputs and target of different numbers of dimensions.
    """
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
    """One minus the cosine where the target is 1, the cosine beyond the margin where it is −1.

    Raises:
        RuntimeError: a target of several dimensions, or inputs that do not have one more.
    """
    number = reduction_number(reduction, size_average, reduce)
    if target.ndim not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.ndim != target.ndim + 1:
        raise RuntimeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    dim = target.ndim
    product = (input1 * input2).sum(dim)
    length1 = add_number((input1 * input1).sum(dim), EPSILON)
    length2 = add_number((input2 * input2).sum(dim), EPSILON)
    cosine = product / (length1 * length2).sqrt()
    where, zeros = torch_function("where"), torch_function("zeros_like")(cosine)
    apart = torch_function("ones_like")(cosine) - cosine
    near = sub_number(cosine, margin).clamp_min(0)
    return reduce_loss(where(target == 1, apart, zeros) + where(target == -1, near, zeros), number)


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
    require_kind(margin, "float", "triplet_margin_loss", "margin", 4)
    require_kind(p, "float", "triplet_margin_loss", "p", 5)
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
    return reduced(log1p.kernel(exp.kernel(-self * target)), reduction)


@takes_arrays
def soft_margin_rounded(grad: Any, self: Any, target: Any, reduction: int) -> Any:
    """``−y·z / (1 + z) · grad`` for ``z = e^(−yx)``, on arrays, in the order in which PyTorch computes it."""
    power = exp.kernel(-target * self)
    share_of_each = self.dtype.type(-1 / self.size if reduction == MEAN else -1)
    return target * power * share_of_each / (power + 1) * grad


soft_margin.bare = {"self": lambda grad, self, target, reduction: soft_margin_rounded(grad, self, target, reduction)}


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
