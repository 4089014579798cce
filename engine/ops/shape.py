"""Views that keep all elements: the same storage under another shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.declare import composite, operator, view
from engine.tensor import Tensor


@view(at="tensor", formula="x", name="view", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def view_as_shape(self: Any, *size: Any) -> Any:
    """The same elements in another shape, without copying; the gradient takes the old shape again."""
    shape = resolved_shape(size, self.size)
    seen = self.view()
    try:
        seen.shape = shape
    except AttributeError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        ) from None
    return seen


@operator(at="internal", name="_unsafe_view", grad_fn="UnsafeViewBackward0", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def unsafe_view(self: Any, size: Any) -> Any:
    """A fresh copy in another shape, which nobody else can see, so it need not be tracked as a view."""
    return self.reshape(size)


def resolved_shape(size: Any, elements: int) -> tuple[int, ...]:
    """The shape with its one ``-1`` worked out.

    Raises:
        RuntimeError: in PyTorch's words, when the shape does not hold that many elements.
    """
    shape = tuple(int(n) for n in size)
    if -1 in shape:
        known = math.prod(n for n in shape if n != -1)
        if known and elements % known == 0:
            shape = tuple(elements // known if n == -1 else n for n in shape)
    if math.prod(shape) != elements:
        raise RuntimeError(f"shape '{list(size)}' is invalid for input of size {elements}")
    return shape


@view(formula="x", self=lambda grad: grad, at="tensor")
def expand(self: Any, *size: Any, implicit: bool = False) -> Any:
    """Repeats along dimensions of length one without copying; going back, the copies' gradients are added."""
    lead = len(size) - self.ndim
    shape = tuple(self.shape[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(size))
    for i in range(self.ndim):
        if self.shape[i] not in (1, shape[i + lead]):
            raise RuntimeError(
                f"The expanded size of the tensor ({shape[i + lead]}) must match the existing size ({self.shape[i]}) at "
                f"non-singleton dimension {i + lead}. Target sizes: {list(shape)}. Tensor sizes: {list(self.shape)}"
            )
    strides = (0,) * lead + tuple(
        0 if n == 1 and shape[i + lead] != 1 else s for i, (n, s) in enumerate(zip(self.shape, self.strides, strict=True))
    )
    return np.lib.stride_tricks.as_strided(self, shape, strides)


@view(formula="xᵀ", self=lambda grad: grad.t())
def t(self: Any) -> Any:
    """Swaps rows and columns."""
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@view(formula="xᵀ", self=lambda grad, dim0, dim1: grad.transpose(dim0, dim1), aliases="swapaxes swapdims", renamed={"axis0": "dim0", "axis1": "dim1"})
def transpose(self: Any, dim0: int, dim1: int) -> Any:
    """Swaps two dimensions."""
    return np.swapaxes(self, dim0, dim1) if self.ndim else self.view()


@view(formula="x", self=lambda grad, dim: grad.squeeze(dim))
def unsqueeze(self: Any, dim: int) -> Any:
    """Adds a dimension of length one."""
    return np.expand_dims(self, dim)


@view(formula="x", grad_fn="SqueezeBackward1", name="squeeze", self=lambda grad, dim, self_sym_sizes: unsqueeze_back(grad, dim, self_sym_sizes))
def squeeze_dim(self: Any, dim: int) -> Any:
    """Drops a dimension if its length is one."""
    return self.squeeze(dim) if self.ndim and self.shape[dim] == 1 else self.view()


def unsqueeze_back(grad: Tensor, dim: int, shape: Any) -> Tensor:
    """Puts the dropped dimension back, if it was dropped."""
    return grad.unsqueeze(dim) if len(shape) and shape[dim] == 1 else grad


@composite()
def reshape(self: Tensor, *shape: Any) -> Tensor:
    """Another shape: a view where the strides allow it, else a copy."""
    size = shape[0] if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
    full = resolved_shape(size, self._array.size)
    try:
        return self.view(*full) if full else self.view(())
    except RuntimeError:
        return unsafe_view(self.clone(), full)  # type: ignore[no-any-return]


@operator(formula="x", self=lambda grad: grad)
def clone(self: Any, *, memory_format: Any = None) -> Any:
    """A copy; the gradient passes through unchanged."""
    return self.copy()


@composite(at="tensor")
def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """Itself, if its elements lie in order; else a copy that does."""
    array = self._array
    return self if isinstance(array, np.generic) or array.flags.c_contiguous else self.clone()


@composite(at="tensor")
def stride(self: Tensor, dim: int | None = None) -> Any:
    """Elements to skip per dimension."""
    from engine.ops.geometry import strides_of

    strides = strides_of(self)
    return strides if dim is None else strides[dim]
