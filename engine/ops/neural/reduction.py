"""How a loss goes from one number per element to one number: ``none``, ``mean`` or ``sum``.

PyTorch's nodes keep the choice as a number (``_saved_reduction``), in the order of `REDUCTIONS`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine.ops.core.dimension import common_shape
from engine.summation import summed
from engine.tensor import Tensor

NONE, MEAN, SUM = range(3)
REDUCTIONS = {"none": NONE, "mean": MEAN, "elementwise_mean": MEAN, "sum": SUM}


def reduction_number(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> int:
    """The number of a reduction's name; the two deprecated switches take precedence, with PyTorch's warning.

    Raises:
        ValueError: an unknown name.
        RuntimeError: a tensor of many elements stands where a switch is wanted, as in ``nn.MSELoss(output, target)``.
    """
    if size_average is not None or reduce is not None:
        average = True if size_average is None else size_average
        reduces = True if reduce is None else reduce
        reduction = "mean" if average and reduces else "sum" if reduces else "none"
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            stacklevel=4,
        )
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


ALL = tuple(range(64))
"""Every dimension, of as many as there are."""


def reduced(values: Any, reduction: int) -> Any:
    """Applies a reduction to a kernel's values."""
    if reduction == NONE:
        return values
    with np.errstate(invalid="ignore", divide="ignore"):
        total = summed(
            np.asarray(values if values.dtype.itemsize > 2 else values.astype(np.float32)),
            ALL[: np.ndim(values)],
            False,
        )
        result = total / values.dtype.type(values.size) if reduction == MEAN and values.size else total
    return np.asarray(np.nan if reduction == MEAN and not values.size else result).astype(values.dtype)[()]


def reduce_loss(loss: Tensor, reduction: int) -> Tensor:
    """Applies a reduction in recorded operators, where PyTorch composes the loss."""
    return loss.mean() if reduction == MEAN else loss.sum() if reduction == SUM else loss


def share(grad: Tensor, elements: Tensor, reduction: int) -> Tensor:
    """The gradient that reaches each element: divided by their number under ``mean``."""
    return grad / elements.numel() if reduction == MEAN else grad


def broadcast_pair(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both at their common shape; a tensor that has it already is itself.

    Raises:
        RuntimeError: the shapes cannot be broadcast together.
    """
    if input._array.shape == target._array.shape:
        return input, target
    shape = common_shape(input._array.shape, target._array.shape)
    one, other = (t if t._array.shape == shape else t.expand(shape) for t in (input, target))
    return one, other
