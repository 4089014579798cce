"""Views of a part: one index, a range, a diagonal, windows. The gradient fills the part and leaves the rest zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator, view
from engine.ops.core.dimension import whole, wrapped
from engine.ops.core.geometry import look, offset_in, owner_of
from engine.tensor import Tensor

END = 2**63 - 1
"""An open end, as PyTorch's nodes show it."""


def key_along(dim: int, part: Any) -> tuple[Any, ...]:
    """A numpy index that takes ``part`` of one dimension and all of those before it."""
    return (*(slice(None),) * dim, part)


@operator(
    at="torch",
    name="select_backward",
    grad=lambda grads, dim, index: grads.select(dim, index),
)
def select_backward(grad: Any, input_sizes: Any, dim: int, index: int) -> Any:
    """Zeros, with the given gradient put where ``select`` picked."""
    full = np.zeros(tuple(input_sizes), grad.dtype)
    full[key_along(wrapped(dim, full.ndim), index)] = grad
    return full


@view(
    formula="x[…, index, …]",
    self=lambda grad, self_sym_sizes, dim, index: select_backward(grad, self_sym_sizes, dim, index),
)
def select(self: Any, dim: int, index: int) -> Any:
    """Picks one slice and drops the dimension; going back, everything not picked gets zero.

    Raises:
        IndexError: no dimension, or no such place.
    """
    if not self.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    place, index = wrapped(dim, self.ndim), whole(index, "index")
    length = self.shape[place]
    if not -length <= index < length:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {place}"
        )
    return self[(*key_along(place, index), ...)]


def bounds(length: int, start: Any, end: Any, step: int) -> tuple[int, int]:
    """First index and number of elements of a range."""
    first = 0 if start is None else int(start)
    last = END if end is None else int(end)
    first = min(max(first + length if first < 0 else first, 0), length)
    last = min(max(last + length if last < 0 else last, first), length)
    return first, (last - first + step - 1) // step


@operator(
    at="torch",
    name="slice_backward",
    grad=lambda grads, dim, start, end, step: slice_(grads, dim, start, end, step),
)
def slice_backward(grad: Any, input_sizes: Any, dim: int, start: Any, end: Any, step: int) -> Any:
    """Zeros, with the given gradient put where ``slice`` picked."""
    full = np.zeros(tuple(input_sizes), grad.dtype)
    place = wrapped(dim, full.ndim)
    first, length = bounds(full.shape[place], start, end, step)
    full[key_along(place, slice(first, first + (length - 1) * step + 1 if length else first, step))] = grad
    return full


@view(
    at="internal",
    name="slice",
    formula="x[start:end:step]",
    self=lambda grad, self_sym_sizes, dim, start, end, step: slice_backward(
        grad, self_sym_sizes, dim, start, end, step
    ),
)
def slice_(self: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    """Picks a range; going back, everything outside it gets zero.

    Raises:
        RuntimeError: no dimension, or a step that is not positive.
    """
    if not self.ndim:
        raise RuntimeError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    place = wrapped(dim, self.ndim)
    first, length = bounds(self.shape[place], start, end, step)
    if length:
        return self[key_along(place, slice(first, first + (length - 1) * step + 1, step))]
    strides = [s // self.itemsize for s in self.strides]  # numpy would forget where an empty range begins
    begin = offset_in(self, owner_of(self)) + first * strides[place]
    strides[place] *= step
    return look(self, (*self.shape[:place], 0, *self.shape[place + 1 :]), strides, begin)


@composite()
def narrow(self: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """``length`` elements from ``start`` on.

    Raises:
        RuntimeError: when they are not all there.
    """
    shape = self._array.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor):
        if start._array.ndim or start._array.dtype.kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = int(start._array)
    first = narrow_start(shape[wrapped(dim, len(shape))], start, length)
    return slice_(self, dim, first, first + length, 1)


def narrow_start(size: int, start: int, length: int) -> int:
    """Where a narrowed range begins, counted from the front.

    Raises:
        IndexError, RuntimeError: when the range is not all there.
    """
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    first = start + size if start < 0 else start
    if first + length > size:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return first


def diagonal_of(array: Any, offset: int, first: int, second: int) -> Any:
    """A writable view of a diagonal (numpy's own is read-only)."""
    item = array.itemsize
    strides = [s // item for s in array.strides]
    rows, columns = array.shape[first], array.shape[second]
    length = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    begin: list[Any] = [slice(None)] * array.ndim
    if length:
        begin[second if offset >= 0 else first] = slice(abs(offset), None)
    kept = [d for d in range(array.ndim) if d not in (first, second)]
    return look(
        array[tuple(begin)],
        [*(array.shape[d] for d in kept), length],
        [*(strides[d] for d in kept), strides[first] + strides[second]],
    )


@operator(
    at="torch", name="diagonal_backward", grad=lambda grads, offset, dim1, dim2: grads.diagonal(offset, dim1, dim2)
)
def diagonal_backward(grad: Any, input_sizes: Any, offset: int, dim1: int, dim2: int) -> Any:
    """Zeros, with the given gradient put where ``diagonal`` picked."""
    full = np.zeros(tuple(input_sizes), grad.dtype)
    if full.size:
        diagonal_of(full, offset, wrapped(dim1, full.ndim), wrapped(dim2, full.ndim))[...] = grad
    return full


@view(
    formula="diag x",
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: diagonal_backward(grad, self_sym_sizes, offset, dim1, dim2),
)
def diagonal(self: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Picks the elements whose two indices differ by ``offset``; everything else gets zero gradient.

    Raises:
        RuntimeError: one dimension named twice.
    """
    first, second = wrapped(dim1, self.ndim), wrapped(dim2, self.ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return diagonal_of(self, offset, first, second)


@operator(
    at="internal",
    name="unfold_backward",
    grad=lambda grads, dim, size, step: grads.unfold(dim, size, step),
)
def unfold_backward(grad: Any, input_sizes: Any, dim: int, size: int, step: int) -> Any:
    """Zeros, with the given gradient put where ``unfold`` picked."""
    full = np.zeros(tuple(input_sizes), grad.dtype)
    if not full.ndim:
        return full + grad.sum()
    place = wrapped(dim, full.ndim)
    along = np.moveaxis(full, place, -1)
    windows = np.moveaxis(grad, place, -1)
    for number in range(windows.shape[-1]):
        along[..., number * step : number * step + size] += windows[..., number]
    return full


@view(
    at="tensor",
    formula="windows of x",
    self=lambda grad, self_sym_sizes, dimension, size, step: unfold_backward(
        grad, self_sym_sizes, dimension, size, step
    ),
)
def unfold(self: Any, dimension: int, size: int, step: int) -> Any:
    """Looks through windows sliding along a dimension; an element seen in several windows adds up their gradients.

    Raises:
        RuntimeError: windows longer than the dimension, or no step.
    """
    place = wrapped(dimension, self.ndim)
    length = self.shape[place] if self.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {place} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not self.ndim:
        return look(self, (size,), (1,))
    strides = [s // self.itemsize for s in self.strides]
    along = strides[place]
    shape = [*self.shape, size]
    shape[place] = (length - size) // step + 1
    strides[place] = along * step
    return look(self, shape, [*strides, along])
