"""Whole numbers: ``torch.randint``, ``Tensor.random_``, ``torch.randperm``.

A word modulo the span, so large spans are slightly skewed; from a span of 2²⁸ on a 64-bit word is drawn.
"""

from __future__ import annotations

import math
import warnings

import numpy as np

from engine.dtype_names import C_TYPE, SCALAR_TYPE
from engine.random.element_types import (
    Array,
    cast,
    digits,
    is_complex,
    is_floating,
    largest,
    refuse,
)
from engine.random.generator import Generator

WIDE_SPAN = 2**28
"""From so many different numbers on a draw takes 64 bits, as in PyTorch: what remains of 32 would be spread unevenly."""
LONG_MIN, LONG_MAX = -(2**63), 2**63 - 1


def integers(generator: Generator, shape: tuple[int, ...], dtype: np.dtype, low: int, high: int | None) -> Array:
    """``random_(low, high)`` and ``torch.randint``: low ≤ value < high; ``high=None`` means up to the type's largest.

    Raises:
        RuntimeError: empty range, or a bound outside what ``dtype`` holds.
    """
    if high is None:
        if low == LONG_MIN:
            return full_range_integers(generator, shape, dtype)
        last = 2 ** digits(dtype) if is_floating(dtype) else _last(dtype)
        low = _round_low(low, dtype)
        if is_floating(dtype) and low >= last:
            raise RuntimeError(
                "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, "
                f"but got from={low} > to_inc={last}"
            )
    else:
        if low >= high:
            raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
        low, high = _round_low(low, dtype), _round_high(high, dtype)
        if low >= high:
            raise RuntimeError(
                "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
                f"but got from={low} >= to={high}"
            )
        last = high - 1
    _check_bounds(low, last, dtype)
    count, span = math.prod(shape), last - low + 1
    words = generator.words32(count) if span < WIDE_SPAN else generator.words64(count)
    values = (words % np.uint64(span)).view(np.int64) + np.int64(low)
    return cast(values, dtype).reshape(shape)


def whole_range(generator: Generator, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """``random_()``: 0 up to the type's largest value, or to 2^digits for a floating type.

    Raises:
        NotImplementedError: ``dtype`` is complex.
    """
    if is_complex(dtype):
        refuse("random_kernel_cpu", dtype)
    count = math.prod(shape)
    words = generator.words64(count) if dtype.name in ("int64", "float64") else generator.words32(count)
    last = 2 ** digits(dtype) if is_floating(dtype) else _last(dtype)
    return cast((words % np.uint64(last + 1)), dtype).reshape(shape)


def full_range_integers(generator: Generator, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """``random_(-2**63, None)``: every 64-bit integer.

    Raises:
        RuntimeError: ``dtype`` is not int64, float64, float32 or bfloat16.
    """
    if dtype.name not in ("int64", "float64", "float32", "bfloat16"):
        raise RuntimeError("random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16")
    return cast(generator.words64(math.prod(shape)).view(np.int64), dtype).reshape(shape)


def permutation(generator: Generator, n: int, dtype: np.dtype) -> Array:
    """``torch.randperm(n)``: Fisher-Yates from the front, n − 1 words.

    Raises:
        NotImplementedError: ``dtype`` is bool or complex.
        RuntimeError: ``n`` is negative, or more than ``dtype`` counts to.
    """
    if is_floating(dtype):
        if n > 2 ** digits(dtype) + 1:
            limit, name = 2 ** digits(dtype) + 1, SCALAR_TYPE[dtype.name]
            raise RuntimeError(f"n cannot be greater than {limit} for {name} type.")
    elif is_complex(dtype) or dtype == np.bool_:
        refuse("randperm", dtype)
    elif n > _last(dtype):
        c_name = "int64_t" if dtype == np.int64 else f"{dtype.name}_t"
        raise RuntimeError(f"value cannot be converted to type {c_name} without overflow")
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    order = list(range(n))
    for front, word in enumerate(generator.words32(max(n - 1, 0)).tolist()):
        chosen = front + word % (n - front)
        order[front], order[chosen] = order[chosen], order[front]
    return np.array(order, np.int64).astype(dtype)


def _last(dtype: np.dtype) -> int:
    """The largest value of an integer type or bool."""
    bits = 8 * dtype.itemsize - (dtype.kind == "i")
    return 1 if dtype.kind == "b" else (1 << bits) - 1


def _first(dtype: np.dtype) -> int:
    return 0 if dtype.kind in "bu" else -_last(dtype) - 1


def _round_low(low: int, dtype: np.dtype) -> int:
    """The next bound up that a floating type represents, if ``low`` would round down past itself."""
    if not is_floating(dtype):
        return low
    following = float(cast(np.asarray(low + 1, np.float64), dtype))
    if math.isfinite(following) and following < low:
        return int(following) + (1 << (abs(low + 1).bit_length() - digits(dtype)))
    return low


def _round_high(high: int, dtype: np.dtype) -> int:
    """The next bound down that a floating type represents, if ``high - 1`` would round up to ``high``."""
    if not is_floating(dtype):
        return high
    before = float(cast(np.asarray(high - 1, np.float64), dtype))
    if math.isfinite(before) and before >= high:
        return int(before) - (1 << (abs(high - 1).bit_length() - digits(dtype)))
    return high


def _check_bounds(low: int, last: int, dtype: np.dtype) -> None:
    if is_complex(dtype):
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    name = C_TYPE[dtype.name]
    least: float
    if is_floating(dtype):
        most = largest(dtype)
        least = -most
    else:
        most, least = min(_last(dtype), LONG_MAX), _first(dtype)
    for bound, value in (("from", low), ("to - 1", last)):
        if not least <= value <= most:
            raise RuntimeError(f"{bound} is out of bounds for {name}")
        if is_floating(dtype) and abs(value) > 2 ** digits(dtype):
            warnings.warn(
                f"{bound} is out of bounds [-(2^{digits(dtype)}), 2^{digits(dtype)}]. Due to precision limitations "
                f"{name} can support discrete uniform distribution only within this range. "
                "This warning will become an error in version 1.7 release, please fix the code in advance",
                UserWarning,
                stacklevel=2,
            )
