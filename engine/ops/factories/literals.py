"""From what people write, ``[[1, 2.5], [3, 4]]``, to an array: which shape, which dtype, which values.

PyTorch looks at every number: the dtype is the promotion of them all, where Python floats count as the default
floating type, numpy scalars and tensors as their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.ops.core.batching import refuse_branching
from engine.tensor import Tensor
from engine.warned import OF_LEAVING, warn_once

OF_ARRAYS = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a single numpy.ndarray "
    "with numpy.array() before converting to a tensor."
)
PLAIN = {bool: dtypes.BOOL, int: dtypes.INTEGER, float: dtypes.FLOAT, complex: dtypes.COMPLEX}


def array_from(data: Any, dtype: dtypes.dtype | None) -> np.ndarray:
    """The array that ``torch.tensor(data, dtype=dtype)`` holds.

    Raises:
        ValueError: rows of different lengths, or an integer beyond 64 bits.
        TypeError: something that is no number where a number is due.
        RuntimeError: no dtype can be inferred, or a value does not fit the given one.
    """
    if isinstance(data, np.ndarray | np.generic):
        data = np.asarray(data)
        return np.array(data, (checked_array_dtype(data) if dtype is None else dtype).array)
    if isinstance(data, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    shape = shape_of(data)
    numbers: list[Any] = []
    try:
        collect(data, shape, 0, numbers, dtype)
    except (TypeError, ValueError):
        if dtype is None:  # what has no dtype at all is said first
            common_dtype(list(flattened([data])))
        raise
    if dtype is None:
        dtype = common_dtype(numbers)
    return converted(numbers, dtype).reshape(shape)


def is_sequence(data: Any) -> bool:
    """What PyTorch walks into: lists, tuples, ranges, arrays; not tensors, sets or dicts."""
    if isinstance(data, list | tuple):
        return True
    if isinstance(data, Tensor | np.generic | set | frozenset | dict | str | bytes):
        return False
    return hasattr(data, "__len__") and hasattr(data, "__getitem__")


def shape_of(data: Any) -> tuple[int, ...]:
    """The lengths along the first elements.

    Raises:
        ValueError: text.
    """
    shape = []
    while is_sequence(data):
        shape.append(len(data))
        if not len(data):
            break
        data = data[0]
    if isinstance(data, str):
        raise ValueError("too many dimensions 'str'")
    return tuple(shape)


def collect(data: Any, shape: tuple[int, ...], dim: int, numbers: list[Any], dtype: dtypes.dtype | None) -> None:
    """Appends every number in order, checking that each level has the expected length.

    Raises:
        TypeError, ValueError: rows of different kinds, or different lengths.
    """
    if dim == len(shape):
        numbers.append(data)
        return
    if not is_sequence(data) and not (isinstance(data, Tensor) and data._array.ndim):
        raise TypeError("not a sequence")
    if len(data) != shape[dim]:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)})")
    if dim == len(shape) - 1:
        if isinstance(data, np.ndarray) and data.size:
            warn_once(OF_ARRAYS, stacklevel=dim + 5)  # the line of whoever asked for the tensor
        numbers.extend(data)  # += would be numpy's sum where data is an array
    else:
        for part in data:
            collect(part, shape, dim + 1, numbers, dtype)


def common_dtype(numbers: list[Any]) -> dtypes.dtype:
    """The promotion of every number's dtype; the default floating type if there is none."""
    kinds = set(map(type, numbers))
    if kinds <= PLAIN.keys():
        if not kinds:
            return dtypes.defaults.floating
        return dtypes.of_scalar(max(kinds, key=PLAIN.__getitem__)(0))
    result: dtypes.dtype | None = None
    for found in map(dtype_of, numbers):
        result = found if result is None else dtypes.promote(result, found)
    assert result is not None
    return result


def dtype_of(number: Any) -> dtypes.dtype:
    """The dtype one number brings along.

    Raises:
        TypeError, RuntimeError: something that is no number.
    """
    if isinstance(number, Tensor):
        return number.dtype
    if isinstance(number, np.ndarray | np.generic):
        return checked_array_dtype(np.asarray(number))
    if isinstance(number, bool | int | float | complex):
        return dtypes.of_scalar(number)
    if isinstance(number, list | tuple):
        return common_dtype(list(flattened(number)))
    if isinstance(number, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(number).__name__}'")
    raise RuntimeError(f"Could not infer dtype of {kind_name(type(number))}")


def kind_name(kind: type) -> str:
    """A class as its errors call it: PyTorch's own with where they are."""
    return f"torch.{kind.__name__}" if kind.__module__ == "torch" else kind.__name__


def flattened(data: Any) -> Iterator[Any]:
    """Every number in nested sequences of any shape."""
    for part in data:
        if is_sequence(part):
            yield from flattened(part)
        else:
            yield part


def converted(numbers: list[Any], dtype: dtypes.dtype) -> np.ndarray:
    """A flat array of ``dtype``, each number converted as C++ would.

    Raises:
        TypeError: complex numbers where real ones are asked for.
    """
    if not set(map(type, numbers)) <= PLAIN.keys():
        numbers = [python_number(number, dtype) for number in numbers]
    category = max((PLAIN[type(number)] for number in numbers), default=dtypes.BOOL)
    if category == dtypes.COMPLEX and dtype.category < dtypes.COMPLEX:
        raise TypeError("must be real number, not complex")
    with np.errstate(over="ignore"):
        if dtype.category == dtypes.INTEGER and dtype is not dtypes.uint64:
            return as_integers(numbers, dtype, floats=category == dtypes.FLOAT)
        if dtype is dtypes.bool_:
            return np.array([bool(number) for number in numbers], np.bool_)
        wide = {dtypes.FLOAT: np.float64, dtypes.COMPLEX: np.complex128}.get(dtype.category, np.uint64)
        return np.array(numbers, wide).astype(dtype.array)


def python_number(number: Any, dtype: dtypes.dtype) -> Any:
    """A tensor's or numpy scalar's value; a Python number as it is.

    Raises:
        TypeError, ValueError, RuntimeError: it is no number of that dtype.
    """
    if isinstance(number, Tensor):
        if dtype.category < dtypes.FLOAT and (number._array.size != 1 or number._array.dtype.kind not in "biu"):
            raise TypeError("only integer tensors of a single element can be converted to an index")
        if number._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if number._array.dtype.kind == "c" and not dtype.is_complex:
            raise RuntimeError("value cannot be converted to type double without overflow")
        refuse_branching(number)
        if number.requires_grad and modes.grad_enabled and dtype.category >= dtypes.FLOAT:
            warn_once(OF_LEAVING, stacklevel=7)
        return number._array.item()
    if isinstance(number, np.ndarray | np.generic):
        return number.item()
    if isinstance(number, bool | int | float | complex):
        return number
    name = type(number).__name__
    if dtype.category == dtypes.INTEGER:
        raise TypeError(f"'{name}' object cannot be interpreted as an integer")
    raise TypeError(f"must be real number, not {name}")


def as_integers(numbers: list[Any], dtype: dtypes.dtype, *, floats: bool) -> np.ndarray:
    """Floats are cut off; what does not fit is refused (negative numbers wrap around in unsigned types).

    Raises:
        RuntimeError: a number too large for the dtype.
        ValueError: one that is not finite.
    """
    limits = np.iinfo(dtype.array)
    low = -limits.max - 1 if limits.min == 0 else limits.min
    if floats:
        for number in numbers:
            if not low <= number <= limits.max:
                raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
        numbers = [int(number) for number in numbers]
    try:
        whole = np.array(numbers, np.int64)
    except OverflowError:
        raise ValueError("Overflow when unpacking long long") from None
    if whole.size and not low <= int(whole.min()) <= int(whole.max()) <= limits.max:
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return whole.astype(dtype.array)


def checked_array_dtype(array: np.ndarray) -> dtypes.dtype:
    """The dtype of a numpy array, if tensors can hold it.

    Raises:
        TypeError: for strings, objects and the like.
        ValueError: for foreign byte order or negative strides.
    """
    found = dtypes.BY_ARRAY.get(array.dtype)
    if any(stride < 0 for stride in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    if found is not None:
        return found
    if array.dtype.newbyteorder("=") in dtypes.BY_ARRAY:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. "
            "Conversion between byte orders is currently not supported."
        )
    raise TypeError(
        f"can't convert np.ndarray of type numpy.{array.dtype.type.__name__}. The only supported types are: float64, "
        "float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
    )
