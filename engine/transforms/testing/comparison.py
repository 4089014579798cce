"""``torch.testing.assert_close``: whether two results agree to what their dtype promises, and where they differ most."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor
from engine.transforms.testing.sparse_comparison import sparse_difference

TOLERANCES = {
    dtypes.float16: (1e-3, 1e-5),
    dtypes.bfloat16: (1.6e-2, 1e-5),
    dtypes.float32: (1.3e-6, 1e-5),
    dtypes.float64: (1e-7, 1e-7),
    dtypes.complex64: (1.3e-6, 1e-5),
    dtypes.complex128: (1e-7, 1e-7),
}
"""Relative and absolute tolerance by dtype; whole numbers must be equal."""

BOOLEANS = (bool, np.bool_)
NUMBERS = (bool, int, float, complex, np.number)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Compares tensors, arrays, numbers, or lists and dicts of them: ``|actual − expected| ≤ atol + rtol · |expected|``.

    Raises:
        AssertionError: they differ; it says where most and by how much.
        ValueError: only one of the tolerances.
        TypeError: things that cannot be compared.
    """
    if (rtol is None) != (atol is None):
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {'rtol' if rtol is None else 'atol'}."
        )
    given = None if rtol is None or atol is None else (rtol, atol)
    found = pairs(actual, expected, ())
    for path, one, other in found:
        if not are_comparable(one, other, allow_subclasses):
            raise TypeError(
                f"No comparison pair was able to handle inputs of type {type(one)} and {type(other)}.{place_of(path)}"
            )
    for path, one, other in found:
        both = (one, other) if check_layout else (in_full(one), in_full(other))
        wrong = difference(*both, given, equal_nan, check_dtype, check_stride)
        if wrong:
            wrong += place_of(path)
            raise AssertionError(wrong if msg is None else msg(wrong) if callable(msg) else msg)


def place_of(path: tuple[Any, ...]) -> str:
    """Where in lists and dicts something is wrong, as the end of a message."""
    return f"\n\nThe failure occurred for item {''.join(f'[{key!r}]' for key in path)}" if path else ""


def are_comparable(one: Any, other: Any, allow_subclasses: bool) -> bool:
    """Whether two things can be compared at all: what is like a tensor only with its own kind."""
    if one is None or other is None:
        return True
    if any(isinstance(one, kind) and isinstance(other, kind) for kind in (BOOLEANS, NUMBERS)):
        return True
    if not (allow_subclasses or type(one) is type(other)):
        return False
    is_related = isinstance(one, type(other)) or isinstance(other, type(one))
    return is_related and all(is_like_tensor(each) for each in (one, other))


def is_like_tensor(value: Any) -> bool:
    """A tensor, or an array of what a tensor can hold."""
    return isinstance(value, Tensor) or (isinstance(value, np.ndarray) and value.dtype.kind in "biufc")


def in_full(value: Any) -> Any:
    """A tensor with all its elements, whatever its layout; anything else as it is."""
    return value.to_dense() if isinstance(value, Tensor) else value


def pairs(actual: Any, expected: Any, path: tuple[Any, ...]) -> list[tuple[tuple[Any, ...], Any, Any]]:
    """What is to be compared with what, and where it stands.

    Raises:
        AssertionError: lists of different lengths, or dicts with different keys.
    """
    if (
        isinstance(actual, Sequence)
        and isinstance(expected, Sequence)
        and not isinstance(actual, str)
        and not isinstance(expected, str)
    ):
        if len(actual) != len(expected):
            raise AssertionError(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
        parts = enumerate(zip(actual, expected, strict=True))
        return [found for i, (a, e) in parts for found in pairs(a, e, (*path, i))]
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        missing, extra = expected.keys() - actual.keys(), actual.keys() - expected.keys()
        if missing or extra:
            raise AssertionError(
                "The keys of the mappings do not match:\nMissing keys in the actual mapping: "
                f"{sorted(missing, key=str)}\nAdditional keys in the actual mapping: {sorted(extra, key=str)}"
            )
        return [found for key in actual for found in pairs(actual[key], expected[key], (*path, key))]
    return [(path, actual, expected)]


def difference(
    actual: Any,
    expected: Any,
    given: tuple[float, float] | None,
    equal_nan: bool,
    check_dtype: bool,
    check_stride: bool,
) -> str:
    """What is wrong with one pair that can be compared; nothing if it agrees."""
    if actual is None or expected is None:
        return "" if actual is expected else f"None mismatch: {actual} is not {expected}"
    if isinstance(actual, BOOLEANS) and isinstance(expected, BOOLEANS):
        return "" if bool(actual) is bool(expected) else f"Booleans mismatch: {actual} is not {expected}"
    if isinstance(actual, NUMBERS) and isinstance(expected, NUMBERS):
        one, other = (number.item() if isinstance(number, np.number) else number for number in (actual, expected))
        if check_dtype and type(one) is not type(other):
            return f"The (d)types do not match: {type(one)} != {type(other)}."
        dtype_of = dtypes.of_scalar
        return number_difference(one, other, tolerance_of((dtype_of(one), dtype_of(other)), given), equal_nan)
    one, other = (
        value if isinstance(value, Tensor) else TABLES["torch"]["from_numpy"](value) for value in (actual, expected)
    )
    return tensor_difference(one, other, given, equal_nan, check_dtype, check_stride)


def tolerance_of(compared: Sequence[dtypes.dtype], given: tuple[float, float] | None) -> tuple[float, float]:
    """The wider of the dtypes' tolerances, unless one was given (numbers count as float64)."""
    if given is not None:
        return given
    double = {dtypes.float32: dtypes.float64, dtypes.complex64: dtypes.complex128}
    found = [TOLERANCES.get(double.get(d, d), (0.0, 0.0)) for d in compared]
    return max(f[0] for f in found), max(f[1] for f in found)


def number_difference(actual: Any, expected: Any, tolerance: tuple[float, float], equal_nan: bool) -> str:
    """For two numbers."""
    rtol, atol = tolerance
    if actual == expected or (equal_nan and actual != actual and expected != expected):
        return ""
    absolute = abs(actual - expected)
    if math.isfinite(abs(expected)) and absolute <= atol + rtol * abs(expected):
        return ""
    relative = absolute / abs(expected) if expected else math.inf
    exact = not (rtol or atol)
    allowed = ("", "") if exact else (f" (up to {atol} allowed)", f" (up to {rtol} allowed)")
    return (
        f"Scalars are not {'equal' if exact else 'close'}!\n\nExpected {expected} but got {actual}.\n"
        f"Absolute difference: {absolute}{allowed[0]}\nRelative difference: {relative}{allowed[1]}"
    )


def tensor_difference(
    actual: Tensor,
    expected: Tensor,
    given: tuple[float, float] | None,
    equal_nan: bool,
    check_dtype: bool,
    check_stride: bool,
) -> str:
    """For two tensors."""
    for attribute, checked in (("shape", True), ("dtype", check_dtype)):
        one, other = getattr(actual, attribute), getattr(expected, attribute)
        if checked and one != other:
            return f"The values for attribute '{attribute}' do not match: {one} != {other}."
    if actual.layout is not expected.layout:
        return f"The values for attribute 'layout' do not match: {actual.layout} != {expected.layout}."
    if not actual._strided:
        return sparse_difference(
            actual, expected, lambda one, other: tensor_difference(one, other, given, equal_nan, check_dtype, False)
        )
    if check_stride and actual.stride() != expected.stride():
        return f"The values for attribute 'stride()' do not match: {actual.stride()} != {expected.stride()}."
    both = (actual.dtype, expected.dtype)
    rtol, atol = given or tuple(max(TOLERANCES.get(d, (0.0, 0.0))[i] for d in both) for i in (0, 1))
    one, other = (np.asarray(t.detach()._array) for t in (actual, expected))
    wide = (
        np.complex128
        if "c" in (one.dtype.kind, other.dtype.kind)
        else np.float64
        if {one.dtype.kind, other.dtype.kind} & set("fV")
        else np.int64
    )
    one, other = one.astype(wide), other.astype(wide)
    with np.errstate(all="ignore"):
        absolute = np.abs(one - other)
        close = (one == other) | (np.isfinite(other) & (absolute <= atol + rtol * np.abs(other)))
        if equal_nan:
            close |= np.isnan(one) & np.isnan(other)
        if close.all():
            return ""
        absolute = np.where(close, 0, absolute)
        relative = np.where(close, 0, absolute / np.abs(other))
    if not one.ndim:
        return number_difference(
            expected=expected.item(), actual=actual.item(), tolerance=(rtol, atol), equal_nan=equal_nan
        )
    return report(absolute, relative, close, (rtol, atol), expected.dtype)


def report(absolute: Any, relative: Any, close: Any, tolerance: tuple[float, float], dtype: dtypes.dtype) -> str:
    """How many elements differ, and where most."""
    exact = not any(tolerance)
    lines = [f"Tensor-likes are not {'equal' if exact else 'close'}!", ""]
    count = int((~close).sum())
    lines.append(f"Mismatched elements: {count} / {close.size} ({count / close.size:.1%})")
    for name, values, allowed in (("absolute", absolute, tolerance[1]), ("relative", relative, tolerance[0])):
        place = np.unravel_index(int(np.argmax(values)), values.shape)
        # PyTorch computes both in the tensors' own precision, and shares of whole numbers in float32.
        own = dtype.to_real() if dtype.is_floating_point or dtype.is_complex else dtypes.float32
        shown = values[place].item()
        shown = shown if isinstance(shown, int) else float(values[place].astype(own.array))
        limit = "" if exact else f" (up to {allowed} allowed)"
        lines.append(f"Greatest {name} difference: {shown} at index {tuple(int(p) for p in place)}{limit}")
    return "\n".join(lines)


def assert_allclose(
    actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True
) -> None:
    """The older `assert_close`, which compares whatever can be made a tensor, and is less strict.

    Raises:
        AssertionError: they differ.
    """
    tensors = [v if isinstance(v, Tensor) else TABLES["torch"]["tensor"](v) for v in (actual, expected)]
    if rtol is None and atol is None:
        rtol, atol = max((LOOSE.get(t.dtype, (0.0, 0.0)) for t in tensors), default=(0.0, 0.0))
    assert_close(*tensors, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False)


LOOSE = {dtypes.float16: (1e-3, 1e-3), dtypes.float32: (1e-4, 1e-5), dtypes.float64: (1e-5, 1e-8)}
