"""Changing the dtype: ``to``, ``type``, ``float()`` and kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine import dtype as dtypes
from engine import placement
from engine.autograd.modes import state as modes
from engine.dtype_names import SCALAR_TYPE, tensor_type
from engine.late import Late
from engine.ops.core.arrangement import as_first
from engine.ops.core.catalogue import publish
from engine.ops.core.declare import composite, operator
from engine.ops.core.discarding import warn_of_discarding
from engine.ops.core.memory_format import suggested_format
from engine.ops.core.promotion import result_type as common_type
from engine.ops.layout.copies import copied, format_name, require_format
from engine.placement import META, NO_COPY, placed
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.ops.meta import moves as meta
else:
    meta = Late("engine.ops.meta.moves")

BY_SCALAR_TYPE = {SCALAR_TYPE[dtype.name]: dtype for dtype in dtypes.ALL}
"""``torch.FloatTensor`` and so on, by the word in the middle."""


@operator(
    formula="x",
    name="_to_copy",
    grad_fn="ToCopyBackward0",
    at="internal",
    self=lambda grad, self_dtype: converted_back(grad, self_dtype),
)
def to_copy(self: Any, dtype: Any, memory_format: Any = None) -> Any:
    """A copy in another dtype; the gradient is converted back."""
    target = dtype.array
    if self.dtype.kind == "c" and target.kind != "c":
        if self.size:
            warn_of_discarding(self.dtype, target)
        self = self.real
    made = whole_part(self, target) if self.dtype.kind in "fV" and target.kind in "iu" else self.astype(target)
    if made.ndim < 2:
        return made
    return as_first(made, (self,)) if memory_format is None else copied(made, format_name(memory_format))


def converted_back(grad: Tensor, dtype: dtypes.dtype) -> Tensor:
    """The gradient in the input's dtype; a real input gets the real part."""
    return (grad.real if grad.dtype.is_complex and not dtype.is_complex else grad).to(dtype)


def whole_part(array: Any, target: Any) -> Any:
    """Floats to whole numbers as the processor does it: toward zero; what does not fit is the smallest number.

    The register is int64 for int64, else int32; narrower types take its low bits.
    """
    register = np.int64 if target.itemsize == 8 else np.int32
    smallest = np.iinfo(register).min
    wide = array.astype(np.float64)
    whole = np.trunc(wide)
    fits = (whole < -float(smallest)) & (whole >= smallest)
    kept = np.where(fits, wide, 0).astype(register)
    return np.where(fits, kept, smallest).astype(target)[()]


@composite(at="tensor")
def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Itself in another dtype or device (there is one device here, the CPU); itself if nothing changes.

    Raises:
        RuntimeError: for a device that is not there.
        TypeError: neither tensors, dtypes nor devices, or several dtypes.
    """
    if len(args) == 1 and not kwargs and isinstance(args[0], dtypes.dtype):  # nearly all calls
        return self if args[0] is self.dtype else to_copy.run((self, args[0], None))
    device, dtype, copy, memory_format = asked_of_to(args, kwargs)
    same = dtype is None or dtype is self.dtype
    if device is not None and placed(device, moved=True) is not self.device:
        return moved(self, placed(device), dtype or self.dtype)
    lies_so = memory_format is None or format_name(memory_format) in ("preserve_format", suggested_format(self._array))
    if same and not copy and lies_so:
        return self
    return to_copy.run((self, self.dtype if same else dtype, memory_format))


class Asked(NamedTuple):
    """What a call of ``x.to`` or ``module.to`` asks for; None for what it leaves as it is."""

    device: Any
    dtype: dtypes.dtype | None
    copy: bool
    memory_format: Any


def asked_of_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
    """Reads a call of ``to``, whose first argument decides in which of its three forms it is.

    Raises:
        TypeError: what fits none of them.
    """
    first = args[0] if args else None
    if isinstance(first, Tensor) or "tensor" in kwargs:
        names = FORMS_OF_TO["tensor"]
    elif dtype_of(first) is not None:
        names = FORMS_OF_TO["dtype"]
        args = (dtype_of(first), *args[1:])
    else:
        names = FORMS_OF_TO["device"]
    given = dict(zip(names, args, strict=False))
    allowed = {*names, "memory_format"}
    if len(args) > len(names) or not kwargs.keys() <= allowed or not given.keys().isdisjoint(kwargs):
        raise unfit_for_to(args, kwargs)
    given |= kwargs
    if not all(FITS_TO[name](value) for name, value in given.items()):
        raise unfit_for_to(args, kwargs)
    device, dtype = given.get("device"), given.get("dtype")
    if "tensor" in given:
        device, dtype = given["tensor"].device, given["tensor"].dtype
    return Asked(device, dtypes.PYTHON_TYPES.get(dtype, dtype), given.get("copy", False), given.get("memory_format"))


def dtype_of(first: Any) -> dtypes.dtype | None:
    """The dtype that the first argument of ``to`` names: itself, a type of Python's, or that of a number which is no ``int``."""
    if isinstance(first, dtypes.dtype):
        return first
    if first.__class__ is PYTHON_TYPE:
        return dtypes.PYTHON_TYPES.get(first)
    return next((dtypes.PYTHON_TYPES[kind] for kind in (bool, float, complex) if isinstance(first, kind)), None)


FORMS_OF_TO = {
    "device": ("device", "dtype", "non_blocking", "copy"),
    "dtype": ("dtype", "non_blocking", "copy"),
    "tensor": ("tensor", "non_blocking", "copy"),
}
"""The names of what may be given without them."""


def is_flag(value: Any) -> bool:
    """True or False, of Python's own."""
    return isinstance(value, bool)


FITS_TO: dict[str, Callable[[Any], bool]] = {
    "device": lambda value: value is None or isinstance(value, str | placement.device | int),
    "dtype": lambda value: value is None or isinstance(value, dtypes.dtype) or value in dtypes.PYTHON_TYPES,
    "tensor": lambda value: isinstance(value, Tensor),
    "non_blocking": is_flag,
    "copy": is_flag,
    "memory_format": lambda value: value is None or isinstance(value, placement.memory_format),
}
"""Whether a value may be given under a name."""


def moved(self: Tensor, where: placement.device, dtype: dtypes.dtype) -> Tensor:
    """The tensor on the other of the two devices.

    Raises:
        NotImplementedError: it has no elements that could go to the CPU.
    """
    if where is META:
        found: Tensor = meta.to_meta(self, dtype)
        return found
    raise NotImplementedError(NO_COPY)


def unfit_for_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError:
    """PyTorch's words about a call of ``x.to`` that fits none of its forms."""
    # Here, since importing torch should be quick.
    from engine.ops.core.argument_parser import no_combination
    from engine.ops.core.known_signatures import expectation

    return TypeError(no_combination("to", tuple(map(expectation, SIGNATURES_OF_TO)), args, kwargs))


SIGNATURES_OF_TO = tuple(
    f"{form}bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None"
    for form in ("torch.device device = None, torch.dtype dtype = None, ", "torch.dtype dtype, ", "Tensor tensor, ")
)
PYTHON_TYPE = type
"""The builtin, whose name a method takes below."""


@composite(at="tensor")
def type(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The old name of its dtype, or itself in another dtype.

    Raises:
        TypeError: neither a dtype nor its name.
        ValueError: an unknown name.
    """
    if dtype is None:
        name: str = tensor_type(self)
        return name if self.device is not META else name.replace("torch.", "torch.meta.")
    if isinstance(dtype, dtypes.dtype):
        return to(self, dtype)
    if not isinstance(dtype, str | PYTHON_TYPE):
        raise TypeError("dtype must be a type, str, or dtype object")
    name = dtype if isinstance(dtype, str) else class_name(dtype)
    found = BY_SCALAR_TYPE.get(name.removeprefix("torch.").removesuffix("Tensor"))
    if found is None:
        raise ValueError(f"invalid type: '{name}'")
    return to(self, found)


def class_name(kind: Any) -> str:
    """With its module, unless it is Python's own."""
    return str(kind.__name__) if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


@composite(at="tensor")
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Itself in the dtype of another."""
    return to(self, other.dtype)


def conversion(target: dtypes.dtype, name: str) -> Any:
    """The method that converts to one dtype."""

    def convert(self: Tensor, *surplus: Any, memory_format: Any = None) -> Tensor:
        if surplus:
            given = "1 was given" if len(surplus) == 1 else f"{len(surplus)} were given"
            raise TypeError(f"{name}() takes 0 positional arguments but {given}")
        if memory_format is None:
            return self if self._array.dtype is target.array else to(self, target)
        return to(self, target, memory_format=memory_format)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"Itself as {target!r}."
    return convert


for _name, _dtype in {
    "float": dtypes.float32,
    "double": dtypes.float64,
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "long": dtypes.int64,
    "int": dtypes.int32,
    "short": dtypes.int16,
    "char": dtypes.int8,
    "byte": dtypes.uint8,
    "bool": dtypes.bool_,
    "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128,
}.items():
    publish("tensor", _name, conversion(_dtype, _name))


@composite(at="tensor")
def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """Itself: the CPU is where it is, unless it has no elements."""
    require_format(memory_format)
    return to(self, "cpu") if modes.meta_met else self


@composite(at="torch")
def result_type(tensor1: Any, tensor2: Any) -> dtypes.dtype:
    """The dtype that an operation of the two would give."""
    return common_type([t._array if isinstance(t, Tensor) else t for t in (tensor1, tensor2)])


@composite(at="torch")
def promote_types(type1: dtypes.dtype, type2: dtypes.dtype) -> dtypes.dtype:
    """The smallest dtype that holds both."""
    return dtypes.promote(dtypes.PYTHON_TYPES.get(type1, type1), dtypes.PYTHON_TYPES.get(type2, type2))


@composite(at="torch")
def can_cast(from_: dtypes.dtype, to: dtypes.dtype) -> bool:
    """Whether PyTorch's rules let a value of the one be written into the other."""
    source, target = (dtypes.PYTHON_TYPES.get(d, d) for d in (from_, to))
    return source.category <= target.category
