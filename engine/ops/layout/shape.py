"""The same elements in another shape: `view` where strides allow it without copying, `reshape` everywhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.dtype_names import SCALAR_TYPE
from engine.ops.core.declare import composite, operator, view
from engine.ops.core.dimension import whole, wrapped
from engine.ops.core.geometry import look
from engine.ops.core.misuse import kind_of
from engine.ops.layout.copies import clone
from engine.ops.layout.leaving import sharing
from engine.storage import materialise
from engine.tensor import Tensor


@view(at="internal", name="view", formula="x", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def view_as_shape(self: Any, *size: Any) -> Any:
    """The same elements in another shape, without copying; the gradient takes the old shape again.

    Raises:
        RuntimeError: no strides give this shape on the same storage.
    """
    shape = resolved_shape(size, self.size)
    keeps_ones = self.size and 1 in shape and shape == self.shape  # numpy would leave their strides as they are
    if self.flags.c_contiguous and not keeps_ones:
        return self.reshape(shape)
    strides = view_strides(self, shape)
    if strides is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return look(self, shape, strides)


@composite(at="tensor", name="view")
def view_method(self: Tensor, *size: Any, dtype: dtypes.dtype | None = None) -> Tensor:
    """Another shape of the same storage, or (given a dtype) its bytes read as another type.

    Raises:
        TypeError: neither a shape nor a dtype.
    """
    if not size and dtype is None:
        raise TypeError(
            "view() received an invalid combination of arguments - got (), but expected (torch.dtype dtype) or (*size)"
        )
    kind = dtype or (size[0] if len(size) == 1 and isinstance(size[0], dtypes.dtype) else None)
    return view_as_shape.run((self, size)) if kind is None else view_as_dtype(self, kind)


def view_as_dtype(self: Tensor, kind: dtypes.dtype) -> Tensor:
    """The same bytes read as another element type: such a reading has no derivative, and is no view to autograd.

    Raises:
        RuntimeError: when the last dimension does not hold whole elements of the other size.
    """
    array = materialise(self)
    if kind.itemsize != array.itemsize:
        what = f"to view {SCALAR_TYPE[self.dtype.name]} as {SCALAR_TYPE[kind.name]} (different element sizes)"
        if not array.ndim:
            raise RuntimeError(f"self.dim() cannot be 0 {what}")
        if array.strides[-1] != array.itemsize:
            raise RuntimeError(f"self.stride(-1) must be 1 {what}")
        if array.shape[-1] * array.itemsize % kind.itemsize:
            ratio = kind.itemsize // array.itemsize
            raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {what}, but got {array.shape[-1]}")
    return sharing(self, array.view(kind.array), counter=True)


@view(
    at="internal",
    name="_reshape_alias",
    grad_fn="ReshapeAliasBackward0",
    self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes),
)
def reshape_alias(self: Any, size: Any, stride: Any) -> Any:
    """The same numbers in another shape, without copying; each gradient goes back to where its element was."""
    return look(self, size, stride)


@operator(
    at="internal",
    name="_unsafe_view",
    grad_fn="UnsafeViewBackward0",
    self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes),
)
def unsafe_view(self: Any, size: Any) -> Any:
    """The same elements in another shape; the gradient takes the old shape again."""
    return self.reshape(resolved_shape(size, self.size))


def resolved_shape(size: Any, elements: int) -> tuple[int, ...]:
    """The shape with its one ``-1`` worked out.

    Raises:
        RuntimeError: in PyTorch's words, when the shape does not hold that many elements.
    """
    if len(size) == 1 and isinstance(size[0], list | tuple):
        size = size[0]
    shape = tuple(n if type(n) is int else whole(n, "size") for n in size)
    if -1 in shape:
        if shape.count(-1) > 1:
            raise RuntimeError("only one dimension can be inferred")
        known = math.prod(n for n in shape if n != -1)
        if not elements and not known:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size "
                "-1 can be any value and is ambiguous"
            )
        if known and elements % known == 0:
            shape = tuple(elements // known if n == -1 else n for n in shape)
    if -1 not in shape and any(n < 0 for n in shape):
        wrong = next(i for i, n in enumerate(shape) if n < 0)
        raise RuntimeError(f"invalid shape dimension {shape[wrong]} at index {wrong} of shape {list(shape)}")
    if math.prod(shape) != elements or -1 in shape:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {elements}")
    return shape


def view_strides(array: np.ndarray, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Strides (in elements) that show ``array`` in another shape, or None if no strides do.

    Dimensions of ``array`` that lie one behind the other form a block; a new dimension must not cross from one block to
    the next.
    """
    item = array.itemsize
    old_shape, old = array.shape, [s // item for s in array.strides]
    new = [0] * len(shape)
    at = len(shape) - 1
    block, base = 1, old[-1] if old else 1
    seen = 1
    for dim in range(len(old_shape) - 1, -1, -1):
        block *= old_shape[dim]
        if dim and (old_shape[dim - 1] == 1 or old[dim - 1] == block * base):
            continue
        while at >= 0 and (seen < block or shape[at] == 1):
            new[at] = seen * base
            seen *= shape[at]
            at -= 1
        if seen != block:
            return None
        if dim:
            base, block, seen = old[dim - 1], 1, 1
    if not old_shape:
        return (1,) * len(shape)
    return tuple(new) if at == -1 else None


@composite()
def reshape(self: Tensor, *shape: Any) -> Tensor:
    """Another shape: a view where the strides allow it, else a copy.

    Raises:
        TypeError: no shape.
    """
    if not shape:
        raise TypeError('reshape() missing 1 required positional arguments: "shape"')
    array = self._array
    full = resolved_shape(shape, array.size)
    if isinstance(array, np.generic) or array.flags.c_contiguous or not array.size:
        return view_as_shape.run((self, full))
    strides = view_strides(array, full)
    if strides is not None:
        return view_as_shape.run((self, full)) if self.is_meta else reshape_alias.run((self, full, strides))
    return unsafe_view(clone(self, memory_format="contiguous_format"), full)


@composite(at="tensor")
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """The shape of another tensor."""
    return reshape(self, other.shape)


@composite(at="tensor")
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """The shape of another tensor, without copying."""
    return view_as_shape(self, other.shape)


@composite()
def flatten(self: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Makes one dimension of those from ``start_dim`` to ``end_dim``.

    Raises:
        RuntimeError: when ``start_dim`` comes after ``end_dim``.
    """
    shape = self._array.shape
    start, end = wrapped(start_dim, len(shape)), wrapped(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return reshape(self, 1)
    if start == end:
        return self
    return reshape(self, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


@composite()
def ravel(self: Tensor) -> Tensor:
    """One dimension of all."""
    return self.contiguous().view(-1)


@composite()
def unflatten(self: Tensor, dim: int, sizes: Any) -> Tensor:
    """Makes several dimensions of one.

    Raises:
        RuntimeError: when the sizes do not multiply to the dimension's length.
        TypeError: for sizes that are no sequence.
    """
    shape = self._array.shape
    if not isinstance(sizes, list | tuple):
        words = "unflatten(): argument 'sizes' (position 2) must be tuple of ints"
        raise TypeError(f"{words}, not {kind_of(sizes)}")
    at, sizes = wrapped(dim, len(shape)), tuple(sizes)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    length = shape[at]
    known = math.prod(n for n in sizes if n != -1)
    fits = length == known if -1 not in sizes else known and length % known == 0
    if not fits:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {at} ({length}) in the "
            "input tensor"
        )
    sizes = tuple(length // known if n == -1 else n for n in sizes)
    return self.view(*shape[:at], *sizes, *shape[at + 1 :])
