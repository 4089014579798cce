"""Choosing by a mask: `where`, `masked_fill`, `masked_select`, `masked_scatter`, and the places of a mask."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.dtype_names import c_type, scalar_type
from engine.errors import require_bool
from engine.ops.core.batching import refuse_batch
from engine.ops.core.declare import composite, operator, overloaded, pointwise
from engine.ops.core.dimension import common_shape
from engine.ops.layout.copies import blank
from engine.ops.layout.expansion import summed_to
from engine.ops.tensors.moves import storable
from engine.tensor import Tensor, wrap


@pointwise(
    at="internal",
    name="where",
    formula="c ? x : y",
    inplace=False,
    promotes="self other",
    self=lambda grad, condition: where(condition, grad, 0),
    other=lambda grad, condition: where(condition, 0, grad),
)
def choose(condition: Any, self: Any, other: Any) -> Any:
    """Takes the first where the condition holds, else the second; the gradient goes to whichever was taken, the other gets zero."""
    shapes = [np.shape(a) for a in (condition, self, other)]
    common_shape(common_shape(shapes[0], shapes[1]), shapes[2])
    return np.where(condition, self, other)[()]


@composite(at="torch")
def where(condition: Tensor, self: Any = None, other: Any = None, *, input: Any = None, out: Any = None) -> Any:
    """``self`` where the condition holds, ``other`` elsewhere; with a condition alone, the places where it holds.

    Raises:
        RuntimeError: for a condition that is not boolean.
        TypeError: when only one of the two alternatives is given.
    """
    self = input if self is None else self
    if self is None and other is None:
        refuse_batch("where", condition)
        return nonzero(condition, as_tuple=True)
    if self is None or other is None:
        raise no_overload("where", "Tensor condition, Tensor input, Tensor other", condition, self)
    if not isinstance(condition, Tensor):
        raise no_overload("where", "Tensor condition, Tensor input, Tensor other", condition, self, other)
    kind = condition._array.dtype
    if kind != np.bool_ and kind != np.uint8:
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {scalar_type(condition)}"
        )
    if kind == np.uint8:
        warnings.warn(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
            "PyTorch. Use a boolean condition instead.",
            stacklevel=3,
        )
    return choose(condition, self, other, **({} if out is None else {"out": out}))


def no_overload(name: str, wanted: str, *given: Any) -> TypeError:
    """PyTorch's "received an invalid combination of arguments"."""
    kinds = ", ".join("Tensor" if isinstance(g, Tensor) else type(g).__name__ for g in given)
    return TypeError(f"{name}() received an invalid combination of arguments - got ({kinds}), but expected ({wanted})")


@composite(at="tensor", name="where")
def where_method(self: Tensor, condition: Tensor, other: Any) -> Any:
    """This tensor where the condition holds, ``other`` elsewhere."""
    return where(condition, self, other)


def masked(array: Any, mask: Any, value: Any) -> Any:
    """``array`` with ``value`` where the mask is set."""
    shape = common_shape(np.shape(mask), np.shape(array))
    return np.where(np.broadcast_to(mask, shape), np.asarray(value).astype(array.dtype), array)[()]


@operator(
    order="rows",
    at="internal",
    name="masked_fill",
    formula="m ? c : x",
    self=lambda grad, mask: masked_fill(grad, mask, 0),
)
def fill_number_where(self: Any, mask: Any, value: Any) -> Any:
    """Puts a number where the mask is set; no gradient passes there."""
    return masked(self, mask, value)


@operator(
    order="rows",
    at="internal",
    name="masked_fill",
    grad_fn="MaskedFillBackward1",
    formula="m ? v : x",
    self=lambda grad, mask: masked_fill(grad, mask, 0),
    value=lambda grad, mask: masked_select(grad, mask).sum(),
)
def fill_tensor_where(self: Any, mask: Any, value: Any) -> Any:
    """Puts a 0-d tensor's value where the mask is set; it gets the sum of the gradients there."""
    return masked(self, mask, value)


@overloaded(inplace=True)
def masked_fill(self: Tensor, mask: Tensor, value: Any) -> tuple[Any, ...]:
    """One value where the mask is set.

    Raises:
        RuntimeError: for a mask that is not boolean, or a value with dimensions.
    """
    if not isinstance(mask, Tensor):
        raise no_overload("masked_fill", "Tensor mask, Number value", mask, value)
    if mask._array.dtype != np.bool_:
        common_shape(mask._array.shape, self._array.shape)
        kind = c_type(mask)
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {kind}")
    if not isinstance(value, Tensor):
        return fill_number_where, self, mask, storable(self, value)
    if value._array.ndim:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value._array.ndim} "
            "dimension(s)."
        )
    storable(self, value._array.item())
    return fill_tensor_where, self, mask, value


@operator(
    formula="x[m]",
    self=lambda grad, self, mask: masked_select_backward(grad, self, mask),
)
def masked_select(self: Any, mask: Any) -> Any:
    """Keeps the elements where the mask is set, in one row; what was left out gets zero gradient.

    Raises:
        RuntimeError: a mask that is not boolean.
    """
    if mask.dtype != np.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = common_shape(np.shape(mask), np.shape(self))
    return np.broadcast_to(self, shape)[np.broadcast_to(mask, shape)]


def masked_select_backward(grad: Tensor, source: Tensor, mask: Tensor) -> Tensor:
    """Puts the gradient back where its elements were picked."""
    full = blank(grad, common_shape(source._array.shape, mask._array.shape))
    return summed_to(masked_scatter(full, mask, grad), source._array.shape)


@operator(
    at="torch tensor",
    inplace=True,
    formula="m ? next y : x",
    saves="mask source_sym_sizes",
    self=lambda grad, mask: masked_fill(grad, mask, 0),
    source=lambda grad, mask, source_sym_sizes: masked_scatter_backward(grad, mask, source_sym_sizes),
)
def masked_scatter(self: Any, mask: Any, source: Any) -> Any:
    """Puts a source's elements, one after the other, where the mask is set; each gets the gradient of its place.

    Raises:
        RuntimeError: a mask that is not boolean, or values of another dtype, or too few.
    """
    if mask.dtype != np.bool_:
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {scalar_type(mask)}")
    if source.dtype != self.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{scalar_type(self)} and {scalar_type(source)}"
        )
    shape = common_shape(np.shape(mask), np.shape(self))
    places = np.broadcast_to(mask, shape)
    count = int(places.sum())
    if source.size < count:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    result = np.array(np.broadcast_to(self, shape), order="C")
    result[places] = np.ravel(source)[:count]
    return result


@operator(
    at="internal",
    grad_output=lambda grad, grad_output_shape, mask: masked_scatter(blank(grad, grad_output_shape), mask, grad),
)
def masked_scatter_backward(grad_output: Any, mask: Any, sizes: Sequence[int]) -> Any:
    """``masked_scatter``'s derivative as an operation of its own."""
    used = grad_output[np.broadcast_to(mask, grad_output.shape)]
    made = np.zeros(tuple(sizes), grad_output.dtype)
    made.reshape(-1)[: used.size] = used
    return made


@composite()
def nonzero(self: Tensor, *, as_tuple: bool = False) -> Any:
    """The places of all elements that are not zero: a row each, or a tensor per dimension; places have no gradient."""
    require_bool(as_tuple, "nonzero", "as_tuple")
    refuse_batch("nonzero", self)
    if as_tuple:
        return places(self if self._array.ndim else self.unsqueeze(0)).unbind(1)
    return places(self)


@operator(at="torch tensor", name="argwhere", aliases="internal.nonzero")
def places(self: Any) -> Any:
    """The places of all elements that are not zero, a row each; places have no gradient."""
    return np.argwhere(np.asarray(self)).astype(np.int64)


@composite()
def nonzero_static(self: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The first ``size`` places of elements that are not zero; missing ones are ``fill_value``.

    Raises:
        RuntimeError: a negative size.
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = np.argwhere(np.asarray(self._array))[:size]
    full = np.full((size, self._array.ndim), fill_value, np.int64)
    full[: len(found)] = found
    return wrap(full)
