"""Cutting a tensor into views: `split`, `chunk`, `unbind`. The parts' gradients are joined, zero where none came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator, view
from engine.ops.core.dimension import wrapped
from engine.ops.layout.joining import cat, stack
from engine.ops.layout.slicing import key_along, slice_
from engine.tensor import Tensor


@view(
    at="internal",
    name="unbind",
    formula="x[0], x[1], …",
    outputs="tuple",
    self=lambda grads, dim: gather_slices(grads, dim),
)
def unbind_views(self: Any, dim: int = 0) -> Any:
    """Takes all slices along a dimension; going back, their gradients are stacked again.

    Raises:
        IndexError: no dimension.
    """
    if not self.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    front = np.moveaxis(self, wrapped(dim, self.ndim), 0)
    return tuple(front[i, ...] for i in range(front.shape[0]))


def gather_slices(grads: Sequence[Tensor], dim: int) -> Tensor:
    """Stacks the slices' gradients."""
    return stack(several(grads), dim)


@composite()
def unbind(self: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """All slices along a dimension."""
    return unbind_views.run((self, dim))


def join_parts(grads: Sequence[Tensor], dim: int) -> Tensor:
    """Joins the parts' gradients."""
    return cat(several(grads), dim)


def several(grads: Any) -> list[Tensor]:
    """The outputs' gradients as a list, also when there is but one output."""
    return [grads] if isinstance(grads, Tensor) else list(grads)


def cut(array: Any, sizes: Sequence[int], dim: int) -> tuple[Any, ...]:
    """Views of consecutive lengths."""
    parts, start = [], 0
    for size in sizes:
        parts.append(array[key_along(dim, slice(start, start + size))])
        start += size
    return tuple(parts)


def equal_sizes(array: Any, split_size: int, dim: int) -> list[int]:
    """Lengths of the parts, the last of which may be shorter.

    Raises:
        RuntimeError: for parts of negative length, or of none where there is something to split.
    """
    if not array.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    length = array.shape[dim]
    if not split_size:
        if length:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}")
        return [0]
    count = max((length + split_size - 1) // split_size, 1)
    return [split_size] * (count - 1) + [length - split_size * (count - 1)]


def given_sizes(array: Any, split_sizes: Sequence[int], dim: int) -> Sequence[int]:
    """The lengths asked for.

    Raises:
        RuntimeError: when they do not add up to the dimension's length.
    """
    if not array.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if any(n < 0 for n in split_sizes):
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(split_sizes)}"
        )
    if sum(split_sizes) != array.shape[dim]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {array.shape[dim]} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={list(split_sizes)}"
        )
    return split_sizes


@view(
    at="internal",
    name="split",
    formula="x = [a, b, …]",
    outputs="tuple",
    saves="dim self_sym_sizes split_size",
    self=lambda grads, dim: join_parts(grads, dim),
)
def split_equal(self: Any, split_size: int, dim: int = 0) -> Any:
    """Cuts into parts of equal length (the last may be shorter); going back, their gradients are joined again."""
    place = wrapped(dim, self.ndim)
    return cut(self, equal_sizes(self, split_size, place), place)


@view(
    at="internal",
    name="split_with_sizes",
    formula="x = [a, b, …]",
    outputs="tuple",
    saves="dim self_sym_sizes split_sizes",
    self=lambda grads, dim: join_parts(grads, dim),
)
def split_sized(self: Any, split_sizes: Any, dim: int = 0) -> Any:
    """Cuts into parts of given lengths; going back, their gradients are joined again."""
    place = wrapped(dim, self.ndim)
    return cut(self, given_sizes(self, split_sizes, place), place)


@composite()
def split_with_sizes(self: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Cuts into parts of given lengths."""
    return split_sized(self, tuple(split_sizes), dim)


@composite(at="tensor")
def split(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Cuts into parts of one length, or of a list of lengths.

    Raises:
        TypeError: a size that is neither a whole number nor a list.
    """
    if isinstance(split_size, list | tuple):
        return split_with_sizes(self, split_size, dim)
    if isinstance(split_size, str | float):
        kind = type(split_size).__name__
        raise TypeError(f"split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not {kind}")
    return split_equal.run((self, split_size, dim))


@composite(at="torch", name="split")
def split_function(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Cuts into parts of one length, or of a list of lengths."""
    return split(tensor, split_size_or_sections, dim)


@operator(
    at="internal",
    name="unsafe_split",
    outputs="tuple",
    saves="dim self_sym_sizes split_size",
    self=lambda grads, dim: join_parts(grads, dim),
)
def unsafe_split_equal(self: Any, split_size: int, dim: int = 0) -> Any:
    """Cuts into parts of equal length (the last may be shorter); going back, their gradients are joined again."""
    place = wrapped(dim, self.ndim)
    return cut(self, equal_sizes(self, split_size, place), place)


@operator(
    at="torch tensor",
    name="unsafe_split_with_sizes",
    outputs="tuple",
    saves="dim self_sym_sizes split_sizes",
    self=lambda grads, dim: join_parts(grads, dim),
)
def unsafe_split_sized(self: Any, split_sizes: Any, dim: int = 0) -> Any:
    """Cuts into parts of given lengths; going back, their gradients are joined again."""
    place = wrapped(dim, self.ndim)
    return cut(self, given_sizes(self, split_sizes, place), place)


@composite()
def unsafe_split(self: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Like `split`, with parts that are not known as views."""
    return unsafe_split_equal(self, split_size, dim)


def chunk_size(self: Tensor, chunks: int, dim: int) -> int:
    """Length of each of ``chunks`` parts.

    Raises:
        RuntimeError: for fewer than one chunk, or a 0-d tensor.
    """
    if not self._array.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return (self._array.shape[wrapped(dim, self._array.ndim)] + chunks - 1) // chunks


@composite()
def chunk(self: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Cuts into (at most) so many parts of equal length."""
    size = chunk_size(self, chunks, dim)
    return split_equal.run((self, size, dim)) if size else split_with_sizes(self, (0,) * chunks, dim)


@composite()
def unsafe_chunk(self: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Like `chunk`, with parts that are not known as views."""
    size = chunk_size(self, chunks, dim)
    return unsafe_split_equal(self, size, dim) if size else unsafe_split_sized(self, (0,) * chunks, dim)


@composite()
def tensor_split(self: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Cuts into so many parts (the first ones longer if need be), or at the given places.

    Raises:
        RuntimeError: for fewer than one section.
    """
    if not self._array.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    place = wrapped(dim, self._array.ndim)
    length = self._array.shape[place]
    wanted = indices_or_sections
    if isinstance(wanted, Tensor):
        wanted = wanted._array.tolist()
    if isinstance(wanted, list | tuple):
        edges = [0, *(int(i) for i in wanted), length]
        return tuple(slice_(self, place, a, b, 1) for a, b in zip(edges, edges[1:], strict=False))
    if wanted <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {wanted}")
    parts, start = [], 0
    for number in range(wanted):
        end = start + length // wanted + (number < length % wanted)
        parts.append(slice_(self, place, start, end, 1))
        start = end
    return tuple(parts)


def split_along(self: Tensor, function: str, ndim: int, dim: int, wanted: Any) -> tuple[Tensor, ...]:
    """``hsplit``, ``vsplit`` and ``dsplit``.

    Raises:
        RuntimeError: for too few dimensions, or sections that do not divide the length.
        TypeError: for sections that are neither a number nor a sequence.
    """
    if not isinstance(wanted, int | list | tuple):
        raise TypeError(
            f"{function}() received an invalid combination of arguments - got (Tensor, {type(wanted).__name__}), but "
            "expected one of: (Tensor input, int sections) or (Tensor input, tuple of ints indices)"
        )
    have = self._array.ndim
    if have < ndim:
        raise RuntimeError(
            f"torch.{function} requires a tensor with at least {ndim} dimension, but got a tensor with {have} "
            "dimensions!"
        )
    if isinstance(wanted, int) and (not wanted or self._array.shape[dim] % wanted):
        raise RuntimeError(
            f"torch.{function} attempted to split along dimension {dim}, but the size of the dimension "
            f"{self._array.shape[dim]} is not divisible by the split_size {wanted}!"
        )
    return tensor_split(self, wanted, dim)


@composite()
def hsplit(self: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Cuts side from side: along the second dimension (vectors: the first)."""
    return split_along(self, "hsplit", 1, 0 if self._array.ndim == 1 else 1, indices_or_sections)


@composite()
def vsplit(self: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Cuts upper from lower: along the first dimension."""
    return split_along(self, "vsplit", 2, 0, indices_or_sections)


@composite()
def dsplit(self: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Cuts front from back: along the third dimension."""
    return split_along(self, "dsplit", 3, 2, indices_or_sections)
