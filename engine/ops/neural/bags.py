"""Embedding bags: sums, means or maxima over bags of rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.neural.lookup import check_indices, check_renormalised, renormalise, sparse_rows
from engine.tensor import Tensor

SUM, MEAN, MAX = range(3)
MODES = {"sum": SUM, "mean": MEAN, "max": MAX}


def bag_of_each(offsets: Any, count: int, include_last: bool) -> np.ndarray:
    """Which bag each of ``count`` indices belongs to."""
    bags = len(offsets) - (1 if include_last else 0)
    return np.searchsorted(offsets[:bags] if bags else offsets, np.arange(count), "right") - 1


def check_bag_indices(indices: Any, weight: Any, by_library: bool) -> None:
    """The refusals of `check_indices`, in the words of embedding bags.

    Args:
        indices: row numbers.
        weight: the table.
        by_library: whether PyTorch hands such a bag to a library, where the table's dtype allows.

    Raises:
        RuntimeError: an index outside the table.
    """
    rows = weight.shape[0]
    outside = np.flatnonzero((indices < 0) | (indices >= rows)) if indices.dtype.kind == "i" else np.empty(0, int)
    if len(outside):
        place = int(outside[0])
        value = int(indices.reshape(-1)[place])
        if by_library and weight.dtype != np.float64:
            raise RuntimeError(
                f"Index {place} of input takes value {value} which is not in the valid range [0, {rows})"
            )
        raise RuntimeError(f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {value}")
    check_indices(indices, rows, "embedding_bag")


@operator(
    at="internal",
    name="_embedding_bag",
    formula="Σ W[indices] per bag",
    outputs="result0 result1 result2 result3",
    nondifferentiable=(1, 2, 3),
    undefined_gradients=True,
    saves="indices mode offsets padding_idx per_sample_weights result1 result2 result3 scale_grad_by_freq sparse "
    "weight weight_sym_argsize_0",
    weight=lambda grads, indices, per_sample_weights, weight_sym_argsize_0, mode, padding_idx, scale_grad_by_freq, sparse, result2, result3, _bags: (  # noqa: E501 (its parameters are what is saved)
        (sparse_rows.rows_of_bags if sparse else bag_backward)(
            grads[0],
            indices,
            _bags,
            per_sample_weights,
            weight_sym_argsize_0,
            mode,
            padding_idx,
            scale_grad_by_freq,
            result2,
            result3,
        )
    ),
    per_sample_weights=lambda grads, weight, indices, mode, padding_idx, _bags: bag_weight_backward(
        grads[0], weight, indices, _bags, padding_idx
    ),
)
def embedding_bag_rows(
    weight: Any,
    indices: Any,
    offsets: Any,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Any,
    include_last_offset: bool,
    padding_idx: int,
    _bags: Any,
) -> Any:
    """Looks rows up and reduces each bag; the rows of a bag share its gradient."""
    check_bag_indices(indices, weight, mode != MAX and padding_idx < 0)
    bags = len(offsets) - (1 if include_last_offset else 0)
    counts = indices != padding_idx if padding_idx >= 0 else np.ones(indices.shape, bool)
    size = np.bincount(_bags[counts], minlength=bags).astype(np.int64)
    rows = weight[indices]
    if mode == MAX:
        result = np.zeros((bags, weight.shape[1]), weight.dtype)
        best = np.zeros((bags, weight.shape[1]), np.int64) - 1
        for bag in range(bags):
            members = np.flatnonzero((_bags == bag) & counts)
            if members.size:
                top = rows[members].argmax(0)
                result[bag] = rows[members][top, np.arange(weight.shape[1])]
                best[bag] = indices[members][top]
        return result, _bags.astype(np.int64), size, best
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[:, None]
    result = np.zeros((bags, weight.shape[1]), weight.dtype)
    np.add.at(result, _bags[counts], rows[counts])
    if mode == MEAN:
        result = result / np.maximum(size, 1)[:, None].astype(weight.dtype)
    kept = _bags.astype(np.int64) if mode == MEAN or padding_idx >= 0 else np.zeros(0, np.int64)
    return result, kept, size, size


@operator(at="internal", name="_embedding_bag_backward")
def bag_backward(
    grad: Any,
    indices: Any,
    bags: Any,
    per_sample_weights: Any,
    rows: int,
    mode: int,
    padding_idx: int,
    scale_grad_by_freq: bool,
    size: Any,
    best: Any,
) -> Any:
    """Each bag's gradient, back to its rows (for maxima: to the row that was largest)."""
    table = np.zeros((rows, grad.shape[1]), grad.dtype)
    if mode == MAX:
        bag, column = np.nonzero(best >= 0)
        np.add.at(table, (best[bag, column], column), grad[bag, column])
        return table
    slopes = grad[bags]
    if mode == MEAN:
        slopes = slopes / np.maximum(size, 1)[bags][:, None].astype(grad.dtype)
    if per_sample_weights is not None:
        slopes = slopes * per_sample_weights[:, None]
    if scale_grad_by_freq:
        slopes = slopes / np.bincount(indices, minlength=rows)[indices][:, None].astype(grad.dtype)
    keep = indices != padding_idx if padding_idx >= 0 else slice(None)
    np.add.at(table, indices[keep], slopes[keep])
    return table


@operator(at="internal", name="_embedding_bag_per_sample_weights_backward")
def bag_weight_backward(grad: Any, weight: Any, indices: Any, bags: Any, padding_idx: int) -> Any:
    """Each sample weight's gradient: its row against its bag's gradient."""
    slopes = (grad[bags] * weight[indices]).sum(1)
    return np.where(indices == padding_idx, 0, slopes).astype(weight.dtype) if padding_idx >= 0 else slopes


@composite(at="functional")
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Bags of rows of ``weight``: (B, n) numbers, or (n,) with offsets → (B, D).

    Raises:
        ValueError: shapes or settings that do not go together.
        RuntimeError: offsets that do not begin with 0.
    """
    if weight.dtype.name == "int64" and input.dtype.is_floating_point:
        warnings.warn(SWAPPED, stacklevel=3)
        input, weight = weight, input
    check_bags(input, weight, offsets, per_sample_weights)
    if offsets is None:
        offsets = TABLES["torch"]["arange"](
            0, input.numel(), input.shape[1] or 1, dtype=input.dtype, device=input.device
        )
        input = input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    check_mode(mode, scale_grad_by_freq, sparse, per_sample_weights)
    if offsets.numel() and not offsets.is_meta and int(offsets[0]) != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
            f"However, got {int(offsets[0])}"
        )
    padding_idx = padding_row(padding_idx, weight.shape[0])
    if max_norm is not None:
        check_renormalised(input._array, weight._array.shape)
        renormalise(weight, input, max_norm, norm_type)
    if sparse:
        sparse_rows.expect()
    which = bag_of_each(offsets._array.view(np.ndarray), input.numel(), include_last_offset)
    return embedding_bag_rows(
        weight,
        input,
        offsets,
        scale_grad_by_freq,
        MODES[mode],
        sparse,
        per_sample_weights,
        include_last_offset,
        padding_idx,
        which,
    )[0]


SWAPPED = (
    "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is deprecated, and "
    "should now be `embedding_bag(input, weight, ...)`."
)


def check_bags(input: Tensor, weight: Tensor, offsets: Tensor | None, per_sample_weights: Tensor | None) -> None:
    """Raises ValueError: shapes that do not go together; offsets belong to an input of one dimension, and only to that."""
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({list(per_sample_weights.shape)}) is not None, then it must have "
            f"the same shape as the input ({list(input.shape)})"
        )
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if input.ndim not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if input.ndim == 2 and offsets is not None:
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. "
            f"However, found offsets of type {type(offsets)}"
        )
    if input.ndim == 1 and offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets is not None and offsets.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")


def check_mode(mode: str, scale_grad_by_freq: bool, sparse: bool, per_sample_weights: Tensor | None) -> None:
    """Raises ValueError, NotImplementedError: an unknown mode, or settings that it does not have."""
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and (scale_grad_by_freq or sparse):
        raise ValueError(
            "max mode does not support "
            + ("scaling the gradient by the frequency" if scale_grad_by_freq else "sparse weights")
        )
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )


def padding_row(padding_idx: int | None, rows: int) -> int:
    """The row that counts for nothing, from the beginning; −1 for none.

    Raises:
        RuntimeError: there is no such row.
    """
    if padding_idx is None:
        return -1
    if not -rows <= padding_idx < rows:
        raise RuntimeError("padding_idx must be within the number of embeddings")
    return padding_idx % rows
