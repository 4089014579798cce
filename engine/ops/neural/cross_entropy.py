"""Cross entropy: ``log_softmax`` over the classes, then the loss against a class or against probabilities of all classes."""

from __future__ import annotations

import math

from engine.dtype_names import scalar_type
from engine.ops.core.catalogue import torch_function
from engine.ops.core.declare import composite
from engine.ops.core.handed_on import require_kind
from engine.ops.neural.likelihood_losses import nll_loss_nd
from engine.ops.neural.reduction import MEAN, NONE, SUM, reduction_number
from engine.ops.pointwise.arithmetic import add_number, mul_number
from engine.ops.pointwise.division import div_number
from engine.tensor import Tensor


@composite(at="functional")
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """``log_softmax`` over the classes, then ``nll_loss``; targets are class numbers or probabilities.

    Raises:
        RuntimeError: smoothing outside [0, 1], probabilities that are whole numbers, or a class to ignore beside probabilities.
    """
    number = reduction_number(reduction, size_average, reduce)
    class_dim = 0 if input.ndim == 1 else 1
    require_kind(ignore_index, "int[size]", "cross_entropy_loss", "ignore_index", 5)
    require_kind(label_smoothing, "float", "cross_entropy_loss", "label_smoothing", 6)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if input.shape == target.shape:
        if not target.dtype.is_floating_point:
            raise RuntimeError(
                f"Expected floating point type for target with class probabilities, got {scalar_type(target)}"
            )
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return cross_entropy_of_probabilities(input, target, weight, number, label_smoothing, class_dim)
    log_probabilities = torch_function("log_softmax")(input, class_dim)
    likelihood = nll_loss_nd(log_probabilities, target, weight, number, ignore_index)
    if not label_smoothing:
        return likelihood
    return smoothed(log_probabilities, likelihood, target, weight, number, ignore_index, label_smoothing, class_dim)


def cross_entropy_of_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, smoothing: float, class_dim: int
) -> Tensor:
    """Cross entropy against a distribution over classes."""
    log_probabilities = torch_function("log_softmax")(input, class_dim)
    classes = input.shape[class_dim]
    if smoothing > 0:
        target = add_number(mul_number(target, 1 - smoothing), smoothing / classes if classes else math.nan)
    product = log_probabilities * target
    if weight is not None:
        product = product * weight_along(weight, input, class_dim)
    if reduction == NONE:
        return -product.sum(class_dim)
    if reduction == SUM:
        return -product.sum()
    return div_number(-product.sum(), input.numel() // classes if classes else math.nan)


def weight_along(weight: Tensor, input: Tensor, class_dim: int) -> Tensor:
    """Class weights, shaped to multiply along the class dimension."""
    if input.ndim == 1:
        return weight
    return weight.view([-1 if d == class_dim else 1 for d in range(input.ndim)])


def smoothed(
    log_probabilities: Tensor,
    likelihood: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    smoothing: float,
    class_dim: int,
) -> Tensor:
    """Mixes in the loss against the uniform distribution (label smoothing, Szegedy et al. 2015)."""
    classes = log_probabilities.shape[class_dim]
    spread = (
        log_probabilities if weight is None else log_probabilities * weight_along(weight, log_probabilities, class_dim)
    )
    uniform = -spread.sum(class_dim)
    ignored = target == ignore_index
    uniform.masked_fill_(ignored, 0.0)
    if reduction == MEAN:
        if weight is not None:
            total = weight.gather(0, target.masked_select(ignored.logical_not()).flatten()).sum()
            uniform = uniform.sum() / total
        else:
            uniform = uniform.sum() / (target != ignore_index).sum()
    elif reduction == SUM:
        uniform = uniform.sum()
    share = mul_number(uniform, smoothing / classes)  # first, as PyTorch's compiler has it
    return mul_number(likelihood, 1 - smoothing) + share
