"""Negative log likelihood: minus the score of the right class, for samples (N, C) and for images (N, C, H, W)."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import composite, operator
from engine.ops.core.handed_on import require_kind
from engine.ops.core.refused_dtypes import floats_only
from engine.ops.neural.flat_slopes import zeros_of
from engine.ops.neural.loss_weights import check_weight
from engine.ops.neural.reduction import MEAN, NONE, reduction_number
from engine.summation import loss_summed
from engine.tensor import Tensor


def chosen(target: Any, ignore_index: int, classes: int) -> tuple[Any, Any]:
    """Targets with the ignored ones replaced by class 0, and which ones count.

    Raises:
        IndexError: a target names no class.
        RuntimeError: targets that are not integers of 64 (or 8) bits.
    """
    if target.dtype == np.uint8 and np.ndim(target) > 1:
        raise RuntimeError("expected scalar type Long but found Byte")
    if target.dtype not in (np.int64, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {scalar_type(target)}")
    counts = target != ignore_index
    safe = np.where(counts, target, 0).astype(np.int64)
    wrong = (safe < 0) | (safe >= classes)
    if wrong.any():
        raise IndexError(f"Target {int(target[wrong].flat[0]) if np.ndim(target) else int(target)} is out of bounds.")
    return safe, counts


def element_weights(weight: Any, safe: Any, counts: Any, dtype: Any) -> Any:
    """The weight of each target's class; ignored ones weigh nothing."""
    return (counts.astype(dtype) if weight is None else np.where(counts, weight[safe], 0)).astype(dtype)


def likelihood_loss(self: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> tuple[Any, Any]:
    """(loss, total weight) for scores of shape (N, C, …) and targets (N, …)."""
    safe, counts = chosen(target, ignore_index, self.shape[1])
    weights = element_weights(weight, safe, counts, self.dtype)
    picked = np.take_along_axis(self, safe[:, None], 1)[:, 0]
    losses = np.where(counts, -(picked * weights), 0).astype(self.dtype)
    if reduction == NONE:
        return losses, self.dtype.type(0)
    total, summed = loss_summed(weights), loss_summed(losses)
    if reduction == MEAN:
        with np.errstate(invalid="ignore", divide="ignore"):
            summed = np.true_divide(summed, total)
    return np.asarray(summed).astype(self.dtype)[()], np.asarray(total).astype(self.dtype)[()]


def likelihood_slopes(
    grad: Any, self: Any, target: Any, weight: Any, reduction: int, ignore_index: int, total: Any
) -> Any:
    """Minus the weight at each target's class, times the gradient; zero elsewhere."""
    safe, counts = chosen(target, ignore_index, self.shape[1])
    weights = element_weights(weight, safe, counts, self.dtype)
    with np.errstate(invalid="ignore", divide="ignore"):
        each = -(grad / total if reduction == MEAN else grad) * weights
    slopes = np.zeros(self.shape, self.dtype)
    np.put_along_axis(slopes, safe[:, None], np.where(counts, each, 0).astype(self.dtype)[:, None], 1)
    return slopes


def as_batch(self: Any, target: Any) -> tuple[Any, Any]:
    """A single sample (C,) as a batch of one.

    Raises:
        RuntimeError: several targets for a sample.
    """
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    return (self[None], target.reshape(1)) if self.ndim == 1 else (self, target)


@operator(
    at="internal",
    grad_fn="NllLossBackward0",
    formula="−x[target]",
    outputs="output total_weight",
    nondifferentiable=(1,),
    undefined_gradients=True,
    saves="ignore_index reduction self target total_weight weight",
    self=lambda grads, self, target, weight, reduction, ignore_index, total_weight: nll_loss_backward(
        grads[0], self, target, weight, reduction, ignore_index, total_weight
    ),
)
def nll_loss_forward(self: Any, target: Any, weight: Any = None, reduction: int = 1, ignore_index: int = -100) -> Any:
    """Takes minus the score of the right class; every other score gets zero gradient."""
    floats_only(self, "nll_loss_out_frame")
    batch, targets = as_batch(self, target)
    check_classes(batch, targets, weight)
    loss, total = likelihood_loss(batch, targets, weight, reduction, ignore_index)
    return (loss[0] if self.ndim == 1 and reduction == NONE else loss), total


@operator(
    at="internal",
    grad_output=lambda grad, target, weight, reduction, ignore_index: nll_loss_forward(
        grad, target, weight, reduction, ignore_index
    )[0],
    self=lambda self_shape, self_dtype: zeros_of(self_shape, self_dtype),
)
def nll_loss_backward(
    grad_output: Any, self: Any, target: Any, weight: Any, reduction: int, ignore_index: int, total_weight: Any
) -> Any:
    """The derivative of the function that its name begins with, as an operation of its own."""
    batch, targets = as_batch(self, target)
    return likelihood_slopes(grad_output, batch, targets, weight, reduction, ignore_index, total_weight).reshape(
        self.shape
    )


@operator(
    at="internal",
    grad_fn="NllLoss2DBackward0",
    formula="−x[target]",
    outputs="output total_weight",
    nondifferentiable=(1,),
    undefined_gradients=True,
    saves="ignore_index reduction self target total_weight weight",
    self=lambda grads, self, target, weight, reduction, ignore_index, total_weight: nll_loss2d_backward(
        grads[0], self, target, weight, reduction, ignore_index, total_weight
    ),
)
def nll_loss2d_forward(self: Any, target: Any, weight: Any = None, reduction: int = 1, ignore_index: int = -100) -> Any:
    """Takes minus the score of the right class; every other score gets zero gradient.

    Raises:
        RuntimeError: a target of another shape than (N, H, W).
    """
    if target.ndim != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {target.ndim}"
        )
    if self.shape[:1] + self.shape[2:] != target.shape:
        raise RuntimeError(f"size mismatch (got input: {list(self.shape)} , target: {list(target.shape)}")
    return likelihood_loss(self, target, weight, reduction, ignore_index)


@operator(
    at="internal",
    grad_output=lambda grad, target, weight, reduction, ignore_index: nll_loss2d_forward(
        grad, target, weight, reduction, ignore_index
    )[0],
    self=lambda self_shape, self_dtype: zeros_of(self_shape, self_dtype),
)
def nll_loss2d_backward(
    grad_output: Any, self: Any, target: Any, weight: Any, reduction: int, ignore_index: int, total_weight: Any
) -> Any:
    """The derivative of the function that its name begins with, as an operation of its own."""
    return likelihood_slopes(grad_output, self, target, weight, reduction, ignore_index, total_weight)


def check_classes(scores: Any, target: Any, weight: Any) -> None:
    """Shapes must go together.

    Raises:
        RuntimeError: PyTorch's words.
    """
    if scores.shape[0] != target.shape[0]:
        raise RuntimeError(f"size mismatch (got input: {list(scores.shape)}, target: {list(target.shape)})")
    if weight is not None and weight.shape != (scores.shape[1],):
        raise RuntimeError(
            f"weight tensor should be defined either for all {scores.shape[1]} classes or no classes but got weight "
            f"tensor of shape: {list(weight.shape)}"
        )


def nll_loss_nd(self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int) -> Tensor:
    """Chooses the operator by the number of dimensions, as PyTorch does.

    Raises:
        ValueError, RuntimeError: a target that does not fit the log-probabilities.
    """
    if self.ndim < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {self.ndim})")
    one_for_each = target.ndim > 0 and self.shape[0] == target.shape[0]
    if self.ndim != 1 and not one_for_each:
        raise ValueError(
            f"Expected input batch_size ({self.shape[0]}) to match target batch_size "
            f"({target.shape[0] if target.ndim else 0})."
        )
    if self.ndim == 1 and target.ndim == 1 and target.shape[0] != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.shape[0]}")
    if self.ndim in (1, 2):
        if self.dtype.is_floating_point and (weight is None or weight.ndim == 1):
            check_weight(
                weight, self, "nll_loss_forward", same_dtype=weight is not None and weight.shape == self.shape[-1:]
            )
        return nll_loss_forward(self, target, weight, reduction, ignore_index)[0]
    check_weight(weight, self, "nll_loss2d_forward", same_dtype=self.dtype.is_floating_point)
    if self.ndim == 4:
        return nll_loss2d_forward(self, target, weight, reduction, ignore_index)[0]
    if self.shape[2:] != target.shape[1:]:
        raise RuntimeError(f"Expected target size {[self.shape[0], *self.shape[2:]]}, got {list(target.shape)}")
    flat_scores = self.contiguous().view(self.shape[0], self.shape[1], 1, -1 if self.numel() else 0)
    flat_target = target.contiguous().view(self.shape[0], 1, -1 if target.numel() else 0)
    loss = nll_loss2d_forward(flat_scores, flat_target, weight, reduction, ignore_index)[0]
    return loss.view(target.shape) if reduction == NONE else loss


@composite(at="functional")
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log-probability of the right class; ``input`` holds log-probabilities (N, C, …)."""
    number = reduction_number(reduction, size_average, reduce)
    require_kind(ignore_index, "int[size]", "nll_loss_nd", "ignore_index", 5)
    return nll_loss_nd(input, target, weight, number, ignore_index)
