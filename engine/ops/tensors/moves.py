"""Moving values into a tensor's storage: ``copy_``, ``fill_``, ``zero_``. What stood there gets no gradient."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.dtype_names import C_TYPE
from engine.float_limits import float_limits
from engine.late import Late
from engine.ops.core.declare import composite, operator
from engine.ops.core.discarding import warn_of_discarding
from engine.ops.core.inplace import commit
from engine.ops.core.operator import Operator
from engine.ops.core.writable import check_shape, check_writable
from engine.ops.layout.copies import blank
from engine.placement import META, NO_COPY
from engine.tensor import Tensor, wrap

if TYPE_CHECKING:
    from engine.ops.sparse import writing as sparse_writing
else:
    sparse_writing = Late("engine.ops.sparse.writing")
dispatch = Late("engine.ops.core.dispatch")


@operator(
    at="internal",
    name="copy",
    grad_fn="CopyBackwards",
    formula="x ← y",
    self=lambda grad: blank(grad),
    src=lambda grad: grad,
)
def copy(self: Any, src: Any) -> Any:
    """Overwrites x with y; the gradient goes to y, and what x was before gets zero."""
    return np.broadcast_to(src, np.shape(self))


copy.node_type.name = lambda self: "torch::autograd::CopyBackwards"
# A node that PyTorch wrote by hand, so that its name shows where it lives.


def overwrite(target: Tensor, operator: Operator, arguments: tuple[Any, ...], value: Any) -> Tensor:
    """Writes ``value`` into ``target``, recorded as ``operator``."""
    warn_of_discarding(getattr(value, "dtype", target._array.dtype), target._array.dtype)
    if modes.dispatching:
        value = dispatch.answer(operator, arguments, in_place=True)._array
    return commit(target, value, f"{operator.name}_", operator, arguments)


@composite(at="tensor", name="copy_")
def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Overwrites this tensor with the values of another, cast and repeated as needed.

    Raises:
        RuntimeError: when ``src`` does not broadcast to this tensor.
        TypeError: when it is neither a tensor nor a number.
        NotImplementedError: the values have no numbers (``device="meta"``).
    """
    if isinstance(src, bool | int | float | complex | np.generic):
        src = wrap(np.asarray(src)[()])
    if not isinstance(src, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
    if not src._strided:
        raise RuntimeError(sparse_writing.between_layouts(self, src))
    if modes.meta_met and src.device is META and self.device is not META:
        raise NotImplementedError(NO_COPY)
    check_writable(self, (self, src))
    check_shape(self, src._array.shape)
    return overwrite(self, copy, (self, src), src._array)


@operator(at="internal", name="fill", formula="c", self=lambda grad: blank(grad))
def fill_number(self: Any, value: Any) -> Any:
    """Overwrites every element with a number; what was there before gets zero gradient."""
    return np.full(np.shape(self), value, self.dtype)


@operator(
    at="internal",
    name="fill",
    grad_fn="FillBackward1",
    formula="c",
    self=lambda grad: blank(grad),
    value=lambda grad: grad.sum(),
)
def fill_tensor(self: Any, value: Any) -> Any:
    """Overwrites every element with the value of a 0-d tensor, which gets the sum of all gradients."""
    return np.full(np.shape(self), value, self.dtype)


fill_number_in_place = operator(
    at="internal", name="fill", grad_fn="FillBackward2", formula="c", self=lambda grad: blank(grad)
)(fill_number.definition)
fill_tensor_in_place = operator(
    at="internal",
    name="fill",
    grad_fn="FillBackward3",
    formula="c",
    self=lambda grad: blank(grad),
    value=lambda grad: grad.sum(),
)(fill_tensor.definition)
"""The same in place, where PyTorch's nodes have names of their own."""


@composite(at="torch")
def fill(self: Tensor, value: Any) -> Tensor:
    """A tensor of the same shape in which every element is ``value``."""
    if isinstance(value, Tensor):
        only_0d("fill", value)
        return fill_tensor(self, value)
    return fill_number(self, storable(self, value))


@composite(at="torch tensor", name="fill_")
def fill_(self: Tensor, value: Any) -> Tensor:
    """Overwrites every element with one value.

    Raises:
        RuntimeError: for a value with dimensions, or one that this dtype cannot hold.
    """
    check_writable(self, (self, value))
    if isinstance(value, Tensor):
        only_0d("fill_", value)
        return overwrite(self, fill_tensor_in_place, (self, value), value._array)
    return overwrite(self, fill_number_in_place, (self, value), storable(self, value))


def only_0d(function: str, value: Tensor) -> None:
    """Raises RuntimeError: unless the value has no dimensions."""
    if value._array.ndim:
        raise RuntimeError(
            f"{function} only supports 0-dimension value tensor but got tensor with {value._array.ndim} dimensions."
        )


def storable(target: Tensor, value: Any) -> Any:
    """A Python number as it will stand in ``target``.

    Raises:
        RuntimeError: PyTorch's "cannot be converted … without overflow".
        TypeError: for anything but a number.
    """
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        value = value.item()
    if not isinstance(value, bool | int | float | complex):
        raise TypeError(f"fill_(): argument 'value' (position 1) must be Number, not {type(value).__name__}")
    dtype = target.dtype
    if dtype is dtypes.bool_:
        return bool(value)
    if not fits(dtype, value):
        spelled = dtype.name + "_t" if dtype.name in FIXED_WIDTH else C_TYPE[dtype.name]
        raise RuntimeError(f"value cannot be converted to type {spelled} without overflow")
    if isinstance(value, complex) and not dtype.is_complex:
        value = value.real
    if dtype.category == dtypes.INTEGER and not dtype.is_signed and value < 0:
        return dtype.array.type(int(value) % (np.iinfo(dtype.array).max + 1))
    return value


FIXED_WIDTH = ("int8", "uint8", "int16", "int64")
"""Integer types that C++ messages call ``int8_t`` and the like."""


def fits(dtype: dtypes.dtype, value: Any) -> bool:
    """Whether a dtype can hold a number; decimals may be lost, and unsigned types wrap negative ones around."""
    if dtype.is_complex:
        return True
    if isinstance(value, complex):
        if value.imag:
            return False
        value = value.real
    if dtype.is_floating_point:
        return (isinstance(value, float) and not math.isfinite(value)) or abs(value) <= largest(dtype)
    if isinstance(value, float) and not math.isfinite(value):
        return False
    limits, whole = np.iinfo(dtype.array), int(value)
    return bool(limits.min <= whole <= limits.max or (not dtype.is_signed and -limits.max <= whole < 0))


def largest(dtype: dtypes.dtype) -> float:
    """The largest finite number of a floating type."""
    return float(float_limits(dtype.array).max)


@operator(at="internal", name="zero", formula="0", self=lambda grad: blank(grad))
def zero(self: Any) -> Any:
    """Overwrites every element with zero; what was there before gets zero gradient."""
    return np.zeros(np.shape(self), self.dtype)


@composite(at="torch tensor", name="zero_")
def zero_(self: Tensor) -> Tensor:
    """Overwrites every element with zero."""
    check_writable(self, (self,))
    return overwrite(self, zero, (self,), self._array.dtype.type(0))


@composite(at="tensor", name="fill_diagonal_")
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Overwrites the main diagonal with one value.

    Raises:
        RuntimeError: for fewer than two dimensions, or more than two of different lengths.
        TypeError: for a value with dimensions.
    """
    if isinstance(fill_value, Tensor) and fill_value.ndim:
        raise TypeError("fill_diagonal_(): argument 'fill_value' (position 1) must be Number, not Tensor")
    shape = self._array.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    step, length = sum(self.stride()), min(shape)
    self.as_strided((length,), (step,)).fill_(fill_value)
    if wrap and len(shape) == 2 and shape[0] > length + 1:
        again = (self._array.size + length) // (length + 1) - length
        self.as_strided((again,), (step,), self.storage_offset() + length * step).fill_(fill_value)
    return self
