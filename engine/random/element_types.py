"""What the distributions need to know of an element type: its names in PyTorch's errors, its digits, its bounds."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from engine.dtype_names import SCALAR_TYPE
from engine.float_limits import float_limits

Array = np.ndarray[Any, np.dtype[Any]]
"""An array of any element type."""

FLOATING = ("float16", "bfloat16", "float32", "float64")


def is_floating(dtype: np.dtype) -> bool:
    """Real floating point, bfloat16 included (numpy files that under kind "V")."""
    return dtype.name in FLOATING


def is_complex(dtype: np.dtype) -> bool:
    """A real and an imaginary part."""
    return dtype.kind == "c"


def digits(dtype: np.dtype) -> int:
    """Bits of a floating type's significand, the hidden one included (``std::numeric_limits::digits``)."""
    return int(float_limits(dtype).nmant) + 1


def largest(dtype: np.dtype) -> float:
    """The largest finite value of a floating type."""
    return float(float_limits(dtype).max)


def wide(dtype: np.dtype) -> np.dtype:
    """The type PyTorch computes in: float32 for the half-width types, else the type itself."""
    return np.dtype(np.float64 if dtype == np.float64 else np.float32)


def refuse(kernel: str, dtype: np.dtype) -> NoReturn:
    """Raises NotImplementedError: ``kernel`` has no code for ``dtype``."""
    raise NotImplementedError(f"\"{kernel}\" not implemented for '{SCALAR_TYPE[dtype.name]}'")


def cast(values: Array, dtype: np.dtype) -> Array:
    """``values`` as ``dtype``; overflow to infinity is PyTorch's behaviour, not worth a numpy warning."""
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(dtype, copy=False)
