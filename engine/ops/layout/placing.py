"""A copy with a part replaced: the ``…_scatter`` twins of the views, whose part gets the view of the gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.core.declare import operator
from engine.ops.core.geometry import contiguous_strides
from engine.ops.layout.copies import blank
from engine.ops.layout.slicing import diagonal, select, slice_
from engine.ops.layout.strided import window
from engine.tensor import Tensor


def replaced(self: Any, src: Any, part: Any) -> Any:
    """A copy of an array in which the view that ``part`` takes of it holds ``src``.

    Raises:
        RuntimeError: when the sizes differ.
    """
    result = np.array(self)
    seen = part(result)
    if seen.shape != np.shape(src):
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(np.shape(src))}, slice size = "
            f"{list(seen.shape)}"
        )
    seen[...] = src
    return result


@operator(
    formula="x, x[i] ← s",
    self=lambda grad, dim, index, src_shape: grad.select_scatter(blank(grad, src_shape), dim, index),
    src=lambda grad, dim, index: select(grad, dim, index),
)
def select_scatter(self: Any, src: Any, dim: int, index: int) -> Any:
    """A copy with one slice replaced; the new slice gets the gradient there, what it replaced gets zero."""
    return replaced(self, src, lambda a: select.kernel(a, dim, index))


@operator(
    formula="x, x[start:end] ← s",
    self=lambda grad, dim, start, end, step, src_shape: grad.slice_scatter(
        blank(grad, src_shape), dim, start, end, step
    ),
    src=lambda grad, dim, start, end, step: slice_(grad, dim, start, end, step),
)
def slice_scatter(self: Any, src: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    """A copy with a range replaced; the new part gets the gradient there, what it replaced gets zero."""
    return replaced(self, src, lambda a: slice_.kernel(a, dim, start, end, step))


@operator(
    formula="x, diag x ← s",
    self=lambda grad, offset, dim1, dim2, src_shape: grad.diagonal_scatter(blank(grad, src_shape), offset, dim1, dim2),
    src=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2),
)
def diagonal_scatter(self: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A copy with a diagonal replaced; the new diagonal gets the gradient there, what it replaced gets zero."""
    return replaced(self, src, lambda a: diagonal.kernel(a, offset, dim1, dim2))


def only_window(grad: Tensor, size: Any, stride: Any, storage_offset: Any) -> Tensor:
    """The gradient in the window, zero outside."""
    reach = (storage_offset or 0) + 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    storage = blank(grad, (max(math.prod(grad.shape), reach),))
    storage.as_strided(size, stride, storage_offset or 0).copy_(
        grad.contiguous().as_strided(size, stride, storage_offset)
    )
    return storage.as_strided(grad.shape, contiguous_strides(tuple(grad.shape)), 0)


@operator(
    formula="x, x[window] ← s",
    saves="size storage_offset stride",
    self=lambda grad, size, stride, storage_offset: only_window(grad, size, stride, storage_offset),
    src=lambda grad, size, stride, storage_offset: grad.contiguous().as_strided(size, stride, storage_offset),
)
def as_strided_scatter(self: Any, src: Any, size: Any, stride: Any, storage_offset: Any = None) -> Any:
    """A copy with a window replaced; the new window gets the gradient there.

    What PyTorch sends to ``self`` is the window's gradient too, and zero outside; we do as it does.
    """
    return replaced(self, src, lambda a: window(a, size, stride, storage_offset))
