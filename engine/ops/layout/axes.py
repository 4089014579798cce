"""Views that rearrange dimensions: transposing, permuting, adding and dropping dimensions of length one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, view
from engine.ops.core.dimension import wrapped, wrapped_all
from engine.ops.core.geometry import look
from engine.ops.core.misuse import only_tensors
from engine.tensor import Tensor
from engine.warned import warn_once


def swapped(grad: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swapping back; a tensor without dimensions lets itself be swapped, an array does not."""
    return grad.transpose(dim0, dim1)


@view(formula="xᵀ", self=lambda grad: grad.t())
def t(self: Any) -> Any:
    """Swaps rows and columns; the gradient is swapped back.

    Raises:
        RuntimeError: more than two dimensions.
    """
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@view(
    formula="xᵀ",
    self=lambda grad, dim0, dim1: swapped(grad, dim0, dim1),
    aliases="swapaxes swapdims",
    renamed={"axis0": "dim0", "axis1": "dim1"},
)
def transpose(self: Any, dim0: int, dim1: int) -> Any:
    """Swaps two dimensions; the gradient is swapped back."""
    first, second = wrapped(dim0, self.ndim), wrapped(dim1, self.ndim)
    return self.swapaxes(first, second) if self.ndim else self.view()


@view(at="internal", name="permute", formula="x", self=lambda grad, dims: grad.permute(inverse_order(dims)))
def permute_dims(self: Any, dims: Any) -> Any:
    """Puts the dimensions in another order; the gradient goes back to the old order.

    Raises:
        RuntimeError: not every dimension once.
        TypeError: names of dimensions.
    """
    if isinstance(dims[0] if dims else 0, str):
        raise TypeError("permute(): argument 'dims' (position 1) must be tuple of ints, not str")
    if len(dims) != self.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {self.ndim} is not equal to len(dims) = {len(dims)}"
        )
    order = tuple(wrapped(d, self.ndim) for d in dims)
    if len(set(order)) != len(order):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return self.transpose(order)


def inverse_order(dims: Sequence[int]) -> list[int]:
    """The order that undoes another."""
    return [int(i) for i in np.argsort([d % len(dims) for d in dims])]


@composite()
def permute(self: Tensor, *dims: Any) -> Tensor:
    """Puts the dimensions in another order.

    Raises:
        TypeError: no dimensions are named.
    """
    if not dims:
        raise TypeError('permute() missing 1 required positional arguments: "dims"')
    return permute_dims(self, tuple(dims[0]) if len(dims) == 1 and isinstance(dims[0], list | tuple) else dims)


@composite(aliases="moveaxis")
def movedim(self: Tensor, source: Any, destination: Any) -> Tensor:
    """Moves dimensions to other places; the rest keep their order.

    Raises:
        RuntimeError: when the two lists differ in length or name a dimension twice.
    """
    origin, goal = as_list(source), as_list(destination)
    if len(origin) != len(goal):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({origin} dims) should contain the same number of "
            f"dims as destination ({goal} dims)"
        )
    ndim = self._array.ndim
    from_, to = [wrapped(d, ndim) for d in origin], [wrapped(d, ndim) for d in goal]
    for name, given, found in (("source", origin, from_), ("destination", goal, to)):
        if len(set(found)) != len(found):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({given})")
    if not ndim:
        return alias(self)
    rest = iter(d for d in range(ndim) if d not in from_)
    order = [from_[to.index(place)] if place in to else next(rest) for place in range(ndim)]
    return permute_dims(self, tuple(order))


def as_list(dims: Any) -> list[int]:
    """One dimension or several, as a list."""
    return list(dims) if isinstance(dims, list | tuple) else [dims]


@view(at="internal", name="alias", formula="x", self=lambda grad: grad)
def alias(self: Any) -> Any:
    """The same numbers under another name; the gradient passes through unchanged."""
    return self.view()


@composite(at="tensor")
def as_subclass(self: Tensor, cls: Any) -> Any:
    """The same numbers as a tensor of a class derived from ``torch.Tensor``."""
    from engine.ops.core import overriding  # here, since importing torch should be quick

    return overriding.as_subclass(self, cls)


@view(formula="x", self=lambda grad, dim: grad.squeeze(dim))
def unsqueeze(self: Any, dim: int) -> Any:
    """Adds a dimension of length one; the gradient loses it again."""
    place = wrapped(dim, self.ndim + 1)
    item = self.itemsize
    step = 1 if place == self.ndim else self.shape[place] * (self.strides[place] // item)
    strides = [s // item for s in self.strides]
    return look(self, (*self.shape[:place], 1, *self.shape[place:]), (*strides[:place], step, *strides[place:]))


@view(
    at="internal",
    name="squeeze",
    self=lambda grad, self_sym_sizes: unsqueezed(grad, range(len(self_sym_sizes)), self_sym_sizes),
)
def squeeze_all(self: Any) -> Any:
    """Drops dimensions of length one; the gradient gets them back."""
    return self.squeeze()


@view(
    at="internal",
    name="squeeze",
    grad_fn="SqueezeBackward1",
    self=lambda grad, dim, self_sym_sizes: unsqueezed(grad, (dim,), self_sym_sizes),
)
def squeeze_dim(self: Any, dim: int) -> Any:
    """Drops dimensions of length one; the gradient gets them back."""
    place = wrapped(dim, self.ndim)
    return self.squeeze(place) if self.ndim and self.shape[place] == 1 else self.view()


@view(
    at="internal",
    name="squeeze",
    grad_fn="SqueezeBackward2",
    self=lambda grad, dim, self_sym_sizes: unsqueezed(grad, dim, self_sym_sizes),
)
def squeeze_dims(self: Any, dim: Any) -> Any:
    """Drops dimensions of length one; the gradient gets them back."""
    places = tuple(d for d in wrapped_all(dim, self.ndim) if self.ndim and self.shape[d] == 1)
    return self.squeeze(places)


def unsqueezed(grad: Tensor, dims: Any, shape: Any) -> Tensor:
    """Puts back those of the dimensions that a squeeze dropped."""
    if shape:
        for dim in sorted(d % len(shape) for d in dims):
            if shape[dim] == 1:
                grad = grad.unsqueeze(dim)
    return grad


@composite()
def squeeze(self: Tensor, dim: Any = None) -> Tensor:
    """Drops dimensions of length one: all, one, or several."""
    if dim is None:
        return squeeze_all.run((self,))
    if isinstance(dim, list | tuple):
        return squeeze_dims.run((self, tuple(dim)))
    return squeeze_dim.run((self, dim))


def reversed_dims(self: Tensor) -> Tensor:
    """``x.T``: all dimensions in reverse order."""
    if self._array.ndim != 2:
        advice = (
            "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."
            if not self._array.ndim
            else "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
            "error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
        )
        warn_once(advice, stacklevel=2)
    return permute_dims(self, tuple(range(self._array.ndim - 1, -1, -1)))


def matrix_transpose(self: Tensor) -> Tensor:
    """``x.mT``: the last two dimensions swapped.

    Raises:
        RuntimeError: for one dimension.
    """
    if self._array.ndim == 0:
        warn_once("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.", stacklevel=2)
        return self
    if self._array.ndim == 1:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {self._array.ndim}-D tensor."
        )
    return transpose(self, -2, -1)


def hermitian(self: Tensor) -> Tensor:
    """``x.H``: a matrix, transposed and conjugated.

    Raises:
        RuntimeError: no matrix.
    """
    if self._array.ndim not in (0, 2):
        hint = " For batches of matrices, consider using tensor.mH" if self._array.ndim > 2 else ""
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self._array.ndim}-D tensor.{hint}"
        )
    return conjugate_transpose(self, "Tensor.H", "tensor.H")


def matrix_adjoint(self: Tensor) -> Tensor:
    """``x.mH``: `adjoint`.

    Raises:
        RuntimeError: one dimension.
    """
    return conjugate_transpose(self, "Tensor.mH", "tensor.mH")


@composite()
def adjoint(self: Tensor) -> Tensor:
    """The last two dimensions swapped, and complex numbers conjugated.

    Raises:
        RuntimeError: one dimension.
    """
    return conjugate_transpose(self, "adjoint()", "tensor.adjoint()")


def conjugate_transpose(self: Tensor, warned: str, spelled: str) -> Tensor:
    """What `adjoint` gives, under the names that PyTorch's warning and error call it by."""
    swapped: Tensor
    if self._array.ndim == 0:
        swapped = self
        warn_once(f"{warned} is deprecated on 0-D tensors. Consider using x.conj().", stacklevel=3)
    elif self._array.ndim == 1:
        raise RuntimeError(
            f"{spelled} is only supported on matrices or batches of matrices. Got {self._array.ndim}-D tensor."
        )
    else:
        swapped = transpose(self, -2, -1)
    return swapped.conj() if self._array.dtype.kind == "c" else swapped


Tensor.T = property(reversed_dims)
Tensor.mT = property(matrix_transpose)
Tensor.H = property(hermitian)
Tensor.mH = property(matrix_adjoint)


def at_least(ndim: int, *tensors: Any) -> Any:
    """Tensors with dimensions of length one added up to ``ndim``; several (or a sequence) give a tuple."""
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return raised(tensors[0], ndim)
    given = tensors[0] if len(tensors) == 1 else tensors
    return tuple(raised(t, ndim) for t in only_tensors(given))


def raised(tensor: Tensor, ndim: int) -> Tensor:
    """``atleast_…`` of one tensor."""
    have = tensor._array.ndim
    if have >= ndim:
        return tensor
    if not have:
        return tensor.reshape((1,) * ndim)
    if ndim == 3 and have == 2:
        return unsqueeze(tensor, -1)
    front: Tensor = unsqueeze(tensor, 0)
    return unsqueeze(front, -1) if ndim == 3 else front


@composite(at="torch")
def atleast_1d(*tensors: Any) -> Any:
    """At least one dimension."""
    return at_least(1, *tensors)


@composite(at="torch")
def atleast_2d(*tensors: Any) -> Any:
    """At least two dimensions, a new one in front."""
    return at_least(2, *tensors)


@composite(at="torch")
def atleast_3d(*tensors: Any) -> Any:
    """At least three dimensions."""
    return at_least(3, *tensors)
