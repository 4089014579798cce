"""Tensors of evenly spaced numbers: ``arange``, ``range``, ``linspace``, ``logspace``."""

from __future__ import annotations

import math
import warnings
from functools import partial
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.dtype_names import SCALAR_TYPE
from engine.ops.core.outputs import write_made
from engine.ops.factories.factory import factory
from engine.random.arithmetic import from_c_library, multiply_add_float32, multiply_add_float64
from engine.tensor import Tensor

MISSING: Any = object()


def number(value: Any, function: str, argument: str, position: int) -> Any:
    """A Python number; a 0-d tensor without gradient or a numpy scalar gives its own.

    Raises:
        TypeError: anything else.
    """
    if isinstance(value, Tensor) and value.dim() == 0 and not value.requires_grad:
        return value._array.item()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bool | int | float | complex):
        return value
    word = type(value).__name__
    raise TypeError(f"{function}(): argument '{argument}' (position {position}) must be Number, not {word}")


def write_numbers(made: Tensor, out: Tensor) -> Tensor:
    """Copies a range into a tensor, which keeps its shape if it has as many elements."""
    return write_made(made.view(out.shape) if made.numel() == out.numel() else made, out)


def write_arange(made: Tensor, out: Tensor) -> Tensor:
    """The same for ``arange``, which warns where the numbers are others than there is room for."""
    count = made.numel()
    if out.numel() not in (0, count):
        warnings.warn(
            f"The number of elements in the out tensor of shape {list(out.shape)} is {out.numel()} which does not match the "
            f"computed number of elements {count}. Note that this may occur as a result of rounding error. The out tensor will "
            f"be resized to a tensor of shape ({count},).",
            UserWarning,
            stacklevel=4,
        )
    return write_numbers(made, out)


def refuse_gradients(*given: Any) -> None:
    """Raises TypeError: a tensor that requires grad is no number to PyTorch, whose result would not remember it."""
    if any(isinstance(value, Tensor) and value.requires_grad for value in given):
        kinds = ", ".join(type(value).__name__ for value in given)
        raise TypeError(
            f"arange() received an invalid combination of arguments - got ({kinds}), but it takes numbers: give .item()"
        )


@partial(factory, write=write_arange)
def arange(start: Any = MISSING, end: Any = MISSING, step: Any = 1, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """start, start + step, … up to but without end; whole numbers if all three are.

    Raises:
        TypeError: no end.
        NotImplementedError: booleans or complex numbers.
        ValueError: no step.
    """
    if end is MISSING:
        start, end = 0, start
        if end is MISSING:
            raise TypeError("arange() received an invalid combination of arguments - got (), but it needs an end")
        end = number(end, "arange", "end", 1)
    else:
        start = 0 if start is MISSING else start
        refuse_gradients(start, end, step)
        start, end = number(start, "arange", "start", 1), number(end, "arange", "end", 2)
    step = number(step, "arange", "step", 3)
    whole = all(isinstance(each, int) for each in (start, end, step))
    dtype = dtype or (dtypes.int64 if whole else dtypes.defaults.floating)
    check_range(start, end, step)
    if dtype is dtypes.bool_ or dtype.is_complex:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{SCALAR_TYPE[dtype.name]}'")
    if dtype.category == dtypes.INTEGER:
        start, end, step = int(start), int(end), int(step)
        if not step:
            raise ValueError("step must be nonzero")
        count = max(0, -((start - end) // step))
        return np.asarray(start + np.arange(count) * step, dtype.array)
    count = math.ceil((end - start) / step)
    return evenly(start, step, count, dtype)


def evenly(start: float, step: float, count: int, dtype: dtypes.dtype) -> np.ndarray:
    """start + i·step with PyTorch's rounding.

    Its AVX2 code fills registers (8 float32, 4 float64), two at a time: the first number of a register is rounded to
    the dtype before the others are counted from it. What is left over is computed one by one, in float64.
    """
    width = 32 // dtype.itemsize if dtype in (dtypes.float32, dtypes.float64) else 1
    values = multiply_add_float64(np.arange(count), step, start).astype(dtype.array)
    whole = count - count % (2 * width) if width > 1 else 0
    firsts = values[:whole:width].astype(np.float64)
    values[:whole] = multiply_add_float64(np.arange(width), step, firsts[:, None]).reshape(-1)
    return values


def check_range(start: Any, end: Any, step: Any) -> None:
    """Refuses ranges that never end, or lead the wrong way.

    Raises:
        RuntimeError: a step of zero, or away from the end, or ends that are not finite.
    """
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


@partial(factory, write=write_numbers)
def range(start: Any = 0, end: Any = MISSING, step: Any = 1, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """As ``arange``, but up to and with end; PyTorch has given it up."""
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).",
        UserWarning,
        stacklevel=3,
    )
    if end is MISSING:
        start, end = 0, start
    start, end = number(start, "range", "start", 1), number(end, "range", "end", 2)
    step = number(step, "range", "step", 3)
    check_range(start, end, step)
    return evenly(start, step, math.floor((end - start) / step) + 1, dtype or dtypes.defaults.floating)


# ── linspace and logspace ───────────────────────────────────────────────────────────────────────────────────────────


@partial(factory, write=write_numbers)
def linspace(start: Any, end: Any, steps: int, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """``steps`` numbers from start to end, both included, evenly spaced."""
    return spaced(*ends(start, end, steps, dtype, "linspace"))


@partial(factory, write=write_numbers)
def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: dtypes.dtype | None = None) -> np.ndarray:
    """``base`` to the powers that ``linspace`` gives."""
    start, end, steps, kind = ends(start, end, steps, dtype, "logspace")
    if kind.category == dtypes.INTEGER:
        powers = spaced(float(start), float(end), steps, dtypes.float64)
        return np.asarray(np.power(float(base), powers), kind.array)
    if kind.is_complex or steps <= 1:
        powers = spaced(start, end, steps, kind)
        wide = np.complex128 if kind.is_complex else np.float64
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.power(wide(base), powers.astype(wide)), kind.array)
    powers = spaced_reals(start, end, steps, kind.array, fused=False)
    exact = from_c_library(lambda power: c_power(float(base), power))
    with np.errstate(over="ignore"):
        return np.asarray(exact(powers).astype(kind.array))


def c_power(base: float, power: float) -> float:
    """``base`` to a power, with C's answers where Python raises."""
    try:
        return math.pow(base, power)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan if base else math.inf


def ends(
    start: Any, end: Any, steps: int, dtype: dtypes.dtype | None, function: str
) -> tuple[Any, Any, int, dtypes.dtype]:
    """Checked arguments and the dtype they make.

    Raises:
        TypeError: a number of steps that is no whole number.
        RuntimeError: a negative one, or ends that do not fit the dtype.
    """
    wrong = [
        f"{name} with {value.ndim} dimension(s)"
        for name, value in (("start", start), ("end", end))
        if isinstance(value, Tensor) and value.ndim
    ]
    if wrong:
        raise RuntimeError(
            f"{function} only supports 0-dimensional start and end tensors, but got {' and '.join(wrong)}."
        )
    start, end = (each.detach() if isinstance(each, Tensor) else each for each in (start, end))
    start, end = number(start, function, "start", 1), number(end, function, "end", 2)
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer):
        kinds = ", ".join(type(each).__name__ for each in (start, end, steps))
        raise TypeError(
            f"{function}() received an invalid combination of arguments - got ({kinds}), but expected one of:\n"
            "two Numbers or 0-dimensional Tensors, and int steps"
        )
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    is_complex = isinstance(start, complex) or isinstance(end, complex)
    default = dtypes.defaults.floating.to_complex() if is_complex else dtypes.defaults.floating
    if is_complex and dtype is not None and not dtype.is_complex:
        raise RuntimeError(f"{function}(): inferred dtype {default} can't be safely cast to passed dtype {dtype}")
    return start, end, int(steps), dtype or default


def spaced(start: Any, end: Any, steps: int, dtype: dtypes.dtype) -> np.ndarray:
    """The first half counted up from start, the second down from end, as PyTorch does, so that both are met exactly."""
    kind = dtype.array
    if steps <= 1:
        return np.array([start] * steps).astype(kind)
    if dtype.category == dtypes.INTEGER:
        first, last = int(start), int(end)
        step: Any = (last - first) / (steps - 1)
        places: Any = np.arange(steps)
        up = first + step * places
        down = last - step * (steps - 1 - places)
        return np.asarray(np.where(places < steps // 2, up, down).astype(kind))
    if not dtype.is_complex:
        return spaced_reals(start, end, steps, kind)
    wide = np.complex128
    begin, finish = np.asarray(start).astype(kind), np.asarray(end).astype(kind)
    step = ((finish - begin) / kind.type(steps - 1)).astype(kind).astype(wide)
    places = np.arange(steps)
    up = begin.astype(wide) + step * places
    down = finish.astype(wide) - step * (steps - 1 - places)
    return np.asarray(np.where(places < steps // 2, up, down), kind)


def spaced_reals(start: float, end: float, steps: int, kind: np.dtype[Any], *, fused: bool = True) -> np.ndarray:
    """The same for real types, each number rounded once; without ``fused`` computed in float64 and left there."""
    begin, finish = np.asarray(start).astype(kind), np.asarray(end).astype(kind)
    step = ((finish - begin) / kind.type(steps - 1)).astype(kind)
    places = np.arange(steps)
    first = places < steps // 2
    counted = np.where(first, places, places - (steps - 1)).astype(kind)
    anchor = np.where(first, begin, finish)
    if not fused:
        return np.asarray(anchor.astype(np.float64) + step.astype(np.float64) * counted.astype(np.float64))
    add: Any = multiply_add_float64 if kind == np.float64 else multiply_add_float32
    return np.asarray(add(counted, step, anchor), kind)
