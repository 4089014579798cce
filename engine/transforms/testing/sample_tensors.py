"""``torch.testing.make_tensor``: a tensor of random values to test with."""

from __future__ import annotations

import math
import warnings
from typing import Any

from engine import dtype as dtypes
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor
from engine.type_info import finfo, iinfo

CALLED = TABLES["torch"]


def make_tensor(
    *shape: Any,
    dtype: dtypes.dtype,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Values spread evenly over [low, high), by default from -9 to 9, as far as ``dtype`` reaches.

    Args:
        noncontiguous: every second element of a storage twice as long.
        exclude_zero: the smallest positive number stands for zero.

    Raises:
        ValueError: an empty interval, one outside of ``dtype``, or options that exclude each other.
    """
    sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    floating = dtype.category >= dtypes.FLOAT
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got noncontiguous=True and "
            f"memory_format={memory_format}"
        )
    if requires_grad and not floating:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    apart = noncontiguous and math.prod(sizes) > 1
    full = (*sizes[:-1], 2 * sizes[-1]) if apart else sizes
    begin, end = interval(dtype, low, high)
    if floating:
        made = CALLED["empty"](full, dtype=dtype, device=device)
        parts = CALLED["view_as_real"](made) if dtype.is_complex else made
        if end - begin > finfo(dtype).max:
            parts.uniform_(begin / 2, end / 2).mul_(2)
        else:
            parts.uniform_(begin, end)
    else:
        made = CALLED["randint"](begin, end, full, dtype=dtype, device=device)
    if apart:
        made = made[..., 1::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = finfo(dtype).tiny if floating else 1
    return made.requires_grad_() if requires_grad else made


def interval(dtype: dtypes.dtype, low: float | None, high: float | None) -> tuple[Any, Any]:
    """Where the values begin and end, within what ``dtype`` can hold.

    Raises:
        ValueError: there is nothing between the two, or nothing that ``dtype`` can hold.
    """
    floating = dtype.category >= dtypes.FLOAT
    lowest, end, usual = reach(dtype)
    low, high = usual[0] if low is None else low, usual[1] if high is None else high
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low} and high={high}")
    if low == high and floating:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 and will be "
            "removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=3,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < lowest or low >= end:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports [{lowest}, {end})"
        )
    low, high = min(max(low, lowest), end), min(max(high, lowest), end)
    return (low, high) if floating else (math.ceil(low), math.ceil(high))


def reach(dtype: dtypes.dtype) -> tuple[float, float, tuple[int, int]]:
    """The lowest value of a dtype, the end of its range (not in it), and the interval used when none is given."""
    if dtype.category >= dtypes.FLOAT:
        return finfo(dtype).min, finfo(dtype).max, (-9, 9)
    if dtype is dtypes.bool_:
        return 0, 2, (0, 2)
    last = iinfo(dtype).max
    return iinfo(dtype).min, last if dtype is dtypes.int64 else last + 1, (-9, 10)
