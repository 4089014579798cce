"""What the distributions need to know of an element type: its names in PyTorch's errors, its digits, its bounds."""

from __future__ import annotations

from typing import Any, NoReturn

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""An array of any element type."""

FLOATING = ("float16", "bfloat16", "float32", "float64")
SCALAR_TYPE = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
    "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64", "float16": "Half", "bfloat16": "BFloat16",
    "float32": "Float", "float64": "Double", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip
"""PyTorch's name of the scalar type, by numpy name."""
C_TYPE = {
    "bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short int", "int32": "int",
    "int64": "long int", "uint16": "unsigned short", "uint32": "unsigned int", "uint64": "unsigned long",
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip
"""The C++ type as PyTorch's errors print it, by numpy name."""


def is_floating(dtype: np.dtype) -> bool:
    """Real floating point, bfloat16 included (numpy files that under kind "V")."""
    return dtype.name in FLOATING


def is_complex(dtype: np.dtype) -> bool:
    """A real and an imaginary part."""
    return dtype.kind == "c"


def limits(dtype: np.dtype) -> Any:
    """``finfo`` of a floating type, bfloat16 included."""
    finfo: Any = ml_dtypes.finfo
    return finfo(dtype)


def digits(dtype: np.dtype) -> int:
    """Bits of a floating type's significand, the hidden one included (``std::numeric_limits::digits``)."""
    return int(limits(dtype).nmant) + 1


def largest(dtype: np.dtype) -> float:
    """The largest finite value of a floating type."""
    return float(limits(dtype).max)


def wide(dtype: np.dtype) -> np.dtype:
    """The type PyTorch computes in: float32 for the half-width types, else the type itself."""
    return np.dtype(np.float64 if dtype == np.float64 else np.float32)


def refuse(kernel: str, dtype: np.dtype) -> NoReturn:
    """Raises what PyTorch raises when ``kernel`` has no code for ``dtype``."""
    raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_TYPE[dtype.name]}'")


def cast(values: Array, dtype: np.dtype) -> Array:
    """``values`` as ``dtype``; overflow to infinity is PyTorch's behaviour, not worth a numpy warning."""
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(dtype, copy=False)
