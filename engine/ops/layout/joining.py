"""Joining tensors: `cat` along a dimension, `stack` along a new one, and kin. Each part gets its gradient back."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import wrapped
from engine.ops.core.misuse import only_tensors
from engine.ops.core.promotion import result_type
from engine.ops.layout.axes import atleast_1d, atleast_2d, atleast_3d
from engine.ops.layout.copies import blank
from engine.tensor import Tensor, wrap


@operator(
    order="joined",
    at="internal",
    name="cat",
    formula="[x, y]",
    tensors=lambda grad, dim, tensors_shape: cat_backward(grad, dim, tensors_shape),
)
def join(tensors: Any, dim: int = 0) -> Any:
    """Joins tensors end to end; each gets its own part of the gradient."""
    arrays = [np.asarray(a) for a in tensors]
    kept = [a for a in arrays if a.shape != (0,)]
    first = arrays[0].dtype
    target = first if all(a.dtype is first for a in arrays) else result_type(arrays).array
    if not kept:
        return arrays[0].astype(target)
    check_joinable(arrays, kept[0], wrapped(dim, kept[0].ndim))
    return np.concatenate([a.astype(target, copy=False) for a in kept], dim)


def check_joinable(arrays: list[np.ndarray], model: np.ndarray, place: int) -> None:
    """Raises RuntimeError: when the arrays differ from the first one in anything but the length of dimension
    ``place``.
    """
    rest = model.shape[:place] + model.shape[place + 1 :]
    for number, array in enumerate(arrays):
        if not array.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {number}) cannot be concatenated")
    for number, array in enumerate(arrays):
        shape = array.shape
        if shape == (0,) or (shape[:place] + shape[place + 1 :] == rest and array.ndim == model.ndim):
            continue
        if array.ndim != model.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {model.ndim} and {array.ndim}")
        n, m = next((n, m) for d, (n, m) in enumerate(zip(model.shape, shape, strict=True)) if d != place and n != m)
        raise RuntimeError(
            f"Sizes of tensors must match except in dimension {place}. Expected size {n} but got size {m} for tensor "
            f"number {number} in the list."
        )


def cat_backward(grad: Tensor, dim: int, shapes: Any) -> list[Tensor]:
    """Cuts the gradient where the parts were joined."""
    parts, start = [], 0
    for shape in shapes:
        if tuple(shape) == (0,):
            parts.append(blank(grad, (0,)))
            continue
        length = shape[dim]
        parts.append(grad.narrow(dim, start, length))
        start += length
    return parts


def tensors_of(function: str, tensors: Any) -> list[Tensor]:
    """The sequence of tensors as a list.

    Raises:
        TypeError: for one tensor where a sequence is wanted, or something else among the tensors.
    """
    if isinstance(tensors, Tensor) or not isinstance(tensors, list | tuple):
        raise TypeError(
            f"{function}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    return only_tensors(tensors)


@composite(at="torch", aliases="concat concatenate")
def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Joins tensors end to end along a dimension.

    Raises:
        ValueError: for an empty list.
    """
    parts = tensors_of("cat", tensors)
    if not parts:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    return join.run((parts, dim))


@operator(order="piled", at="internal", name="stack", formula="[x; y]", tensors=lambda grad, dim: grad.unbind(dim))
def pile(tensors: Any, dim: int = 0) -> Any:
    """Joins tensors of equal shape along a new dimension; each gets its own slice of the gradient.

    Raises:
        RuntimeError: different shapes.
    """
    arrays = [np.asarray(a) for a in tensors]
    for number, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(arrays[0].shape)} at entry 0 and "
                f"{list(array.shape)} at entry {number}"
            )
    target = result_type(arrays).array
    place = wrapped(dim, arrays[0].ndim + 1)
    stacked = np.empty((*arrays[0].shape[:place], len(arrays), *arrays[0].shape[place:]), target)
    return np.stack(arrays, place, out=stacked, casting="unsafe")


@composite(at="torch")
def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Joins tensors of equal shape along a new dimension.

    Raises:
        RuntimeError: for an empty list or shapes that differ.
    """
    parts = tensors_of("stack", tensors)
    if not parts:
        raise RuntimeError("stack expects a non-empty TensorList")
    return pile.run((parts, dim))


def needed(function: str, tensors: Any) -> list[Tensor]:
    """The tensors, of which there must be one.

    Raises:
        RuntimeError: for an empty list.
    """
    parts = tensors_of(function, tensors)
    if not parts:
        raise RuntimeError(f"{function} expects a non-empty TensorList")
    return parts


@composite(at="torch")
def hstack(tensors: Any) -> Tensor:
    """Joins side by side: along the second dimension (vectors: the first)."""
    parts = atleast_1d(needed("hstack", tensors))
    return cat(parts, 0 if parts[0]._array.ndim == 1 else 1)


@composite(at="torch", aliases="row_stack")
def vstack(tensors: Any) -> Tensor:
    """Joins one below the other; vectors become rows."""
    return cat(atleast_2d(needed("vstack", tensors)), 0)


@composite(at="torch")
def dstack(tensors: Any) -> Tensor:
    """Joins one behind the other, along a third dimension."""
    return cat(atleast_3d(needed("dstack", tensors)), 2)


@composite(at="torch")
def column_stack(tensors: Any) -> Tensor:
    """Joins side by side; vectors become columns."""
    parts = needed("column_stack", tensors)
    return hstack([t.reshape(t._array.size, 1) if t._array.ndim <= 1 else t for t in parts])


@operator(
    at="internal",
    name="block_diag",
    formula="diag(A, B)",
    tensors=lambda grad, tensors_shape: blocks(grad, tensors_shape),
)
def diagonal_blocks(tensors: Any) -> Any:
    """Puts matrices along the diagonal of a large one; each gets its own block of the gradient.

    Raises:
        RuntimeError: more than two dimensions.
    """
    for number, array in enumerate(tensors):
        if np.ndim(array) > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {number} has "
                f"{np.ndim(array)} dimensions"
            )
    blocks_ = [np.atleast_2d(a) for a in tensors]
    full = np.zeros(
        (sum(b.shape[0] for b in blocks_), sum(b.shape[1] for b in blocks_)), result_type(list(tensors)).array
    )
    row = column = 0
    for block in blocks_:
        full[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return full


def blocks(grad: Tensor, shapes: Any) -> list[Tensor]:
    """Cuts the blocks out of the gradient."""
    parts, row, column = [], 0, 0
    for shape in shapes:
        height, width = ((1,) * (2 - len(shape)) + tuple(shape))[-2:]
        block = grad.narrow(0, row, height).narrow(1, column, width)
        for _ in range(2 - len(shape)):
            block = block.squeeze(-1)
        parts.append(block)
        row, column = row + height, column + width
    return parts


@composite(at="torch")
def block_diag(*tensors: Any) -> Tensor:
    """Puts matrices along the diagonal of a large one; of none, PyTorch makes one row without columns."""
    if not tensors:
        return wrap(np.empty((1, 0), np.float32))
    return diagonal_blocks(only_tensors(tensors))


@composite(at="torch", name="_chunk_cat")
def chunk_cat(tensors: Any, dim: int, num_chunks: int) -> Tensor:
    """Cuts each tensor into chunks (padded with zeros), and joins the first chunks of all, the second ones, …

    Raises:
        RuntimeError: for no tensors, none to chunk, or shapes that differ before ``dim``.
    """
    parts = list(tensors)
    if not parts:
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    if any(not t._array.size for t in parts):
        raise RuntimeError("_chunk_cat expects non-empty tensor")
    if len({t.dtype for t in parts}) > 1:
        raise RuntimeError("_chunk_cat expects all input tensors with the same dtype")
    if dim < 0 and len({t._array.ndim for t in parts}) > 1:
        raise RuntimeError("_chunk_cat expects non-negative dim when input tensors have different ndims")
    place = wrapped(dim, parts[0]._array.ndim)
    rows = []
    for tensor in parts:
        array = np.asarray(tensor._array)
        if array.ndim <= place:
            raise RuntimeError("_chunk_cat expects dim < ndim for all input tensors")
        if array.shape[:place] != parts[0]._array.shape[:place]:
            raise RuntimeError("_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors")
        chunk = -(-array.shape[place] // num_chunks)
        padding = [(0, 0)] * array.ndim
        padding[place] = (0, chunk * num_chunks - array.shape[place])
        rows.append(np.pad(array, padding).reshape(*array.shape[:place], num_chunks, -1))
    return wrap(np.concatenate(rows, -1))
