"""What ``gradcheck`` does with sparse inputs and gradients: stored values are moved one by one, gradients compared in full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.errors import Explained
from engine.ops.core.geometry import contiguous_strides
from engine.storage import materialise
from engine.tensor import Tensor

SPARSE_OUTPUT = "Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the output of fn for gradcheck."


def elements(tensor: Tensor) -> Iterator[tuple[np.ndarray, tuple[int, ...], int]]:
    """Every element that can be moved: the array that holds it, where in that, and its number in the whole tensor, row by row."""
    if tensor._strided:
        memory = materialise(tensor)
        for number, index in enumerate(np.ndindex(memory.shape)):
            yield memory, index, number
        return
    array: Any = tensor._array
    places = array.coordinates()
    strides = contiguous_strides(array.shape)
    for index in np.ndindex(array.values.shape):
        full = (*places.indices[:, index[0]].tolist(), *index[1:])
        yield array.values, index, sum(place * step for place, step in zip(full, strides, strict=True))


def in_their_rows(rows: np.ndarray, numbers: list[int], count: int) -> np.ndarray:
    """A row for every element: 0 for those that could not be moved, since a sparse tensor does not store them."""
    whole = np.zeros((count, rows.shape[1]), rows.dtype)
    whole[numbers] = rows
    return whole


def of_stored(jacobian: np.ndarray, tensor: Tensor) -> np.ndarray:
    """A Jacobian as PyTorch's fast mode sees it: it moves what is stored, and nothing else."""
    if tensor._strided:
        return jacobian
    stored = [number for _, _, number in elements(tensor)]
    return in_their_rows(jacobian[stored], stored, len(jacobian))


def in_full(tensor: Tensor) -> np.ndarray:
    """A copy of all elements, whatever the layout."""
    return np.array(tensor._array if tensor._strided else tensor._array.dense(), copy=True)


def with_every_place(value: Any) -> Any:
    """A sparse input that stores its zeros too, so that they can be moved; anything else as it is."""
    if not isinstance(value, Tensor) or value._strided or not value.requires_grad:
        return value
    whole = value.detach().to_dense()
    mask = whole.new_ones(whole.shape)
    stored = mask.to_sparse(layout=value.layout) if value.dense_dim() == 0 else mask.to_sparse(value.sparse_dim())
    return whole.sparse_mask(stored).requires_grad_()


def check_outputs(outputs: list[Tensor]) -> None:
    """Raises ValueError: one of the outputs is sparse."""
    if any(not output._strided for output in outputs):
        raise ValueError(SPARSE_OUTPUT)


def misfit(gradient: Tensor, tensor: Tensor) -> str:
    """What is wrong with the layout of a gradient; nothing if it is that of its tensor, or dense."""
    if gradient._strided:
        return ""
    if gradient.layout is not tensor.layout:
        return Explained(
            f"grad is incorrect layout ({gradient.layout} is not {tensor.layout})",
            "A sparse gradient of a dense tensor cannot be checked: leave sparse=True (sparse_grad=True) out for the check.",
        )
    kind = str(gradient.layout).removeprefix("torch.").replace("_coo", "")
    for what in ("sparse_dim", "dense_dim"):
        found, expected = getattr(gradient, what)(), getattr(tensor, what)()
        if found != expected:
            return f"grad is {kind} tensor, but has incorrect {what} {found}, expected {expected}"
    return ""
