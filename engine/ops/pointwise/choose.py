"""Bounds, the larger of two, points in between; and the fused add-multiply."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import c_type, scalar_type
from engine.ops.core.declare import overloaded, pointwise
from engine.ops.core.promotion import result_type
from engine.ops.core.signature import Number
from engine.ops.pointwise.no_order import forbid_complex
from engine.ops.pointwise.precision import fused, in_float
from engine.ops.selection.masks import where
from engine.tensor import Tensor

# ── clamp ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def clamp_backward(grad: Tensor, self: Tensor, low: Any, high: Any) -> Tensor:
    """Passes what lies within the bounds, the bounds themselves included."""
    if low is None or high is None:
        inside = self <= high if low is None else self >= low
    else:
        inside = (self >= low) & (self <= high)
    return where(inside, grad, 0)


def clamp_min_backward(grad: Tensor, self: Tensor, low: Any, high: Any) -> Tensor:
    """The lower bound gets the gradient where it was taken (and is itself below the upper one)."""
    return where(self < low if high is None else (self < low) & (low < high), grad, 0)


def clamp_max_backward(grad: Tensor, self: Tensor, low: Any, high: Any) -> Tensor:
    """The upper bound gets the gradient where it was taken."""
    return where(self > high if low is None else (self > high) | (high < low), grad, 0)


def clamped(x: Any, low: Any, high: Any) -> Any:
    """nan stays, and spreads from the bounds."""
    forbid_complex(x, "clamp")
    if low is not None:
        x = np.maximum(low, x)  # of equal numbers the second is taken, here the sign of zero
    if high is not None:
        x = np.minimum(high, x)
    return x


@pointwise(
    formula="min(max(x, low), high)",
    name="clamp",
    grad_fn="ClampBackward1",
    at="internal",
    promotes="self min max",
    saves="max min self",
    self=lambda grad, self, min, max: clamp_backward(grad, self, min, max),
)
def clamp_numbers(self: Any, min: Any = None, max: Any = None) -> Any:
    """Keeps x within two bounds; outside them the gradient stops, exactly on a bound it passes."""
    return clamped(self, min, max)


@pointwise(
    formula="min(max(x, low), high)",
    name="clamp",
    at="internal",
    promotes="self min max",
    saves="max min self",
    self=lambda grad, self, min, max: clamp_backward(grad, self, min, max),
    min=lambda grad, self, min, max: clamp_min_backward(grad, self, min, max),
    max=lambda grad, self, min, max: clamp_max_backward(grad, self, min, max),
)
def clamp_tensors(self: Any, min: Any = None, max: Any = None) -> Any:
    """Keeps x within bounds of its own for each element; a bound that was taken gets the gradient instead of x."""
    return clamped(self, min, max)


@overloaded(aliases="clip", inplace=True)
def clamp(self: Any, min: Any = None, max: Any = None) -> Any:
    """Keeps ``self`` within ``min`` and ``max``; one of them may be missing.

    Raises:
        RuntimeError: both bounds are missing.
    """
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    bounded = isinstance(min, Tensor) or isinstance(max, Tensor)
    return (clamp_tensors if bounded else clamp_numbers), self, min, max


@pointwise(
    formula="max(x, low)",
    name="clamp_min",
    at="internal",
    promotes="self min",
    saves="min self",
    self=lambda grad, self, min: where(self >= min, grad, 0),
)
def clamp_min_number(self: Any, min: Any) -> Any:
    """Keeps x from falling below a bound; below it the gradient stops, exactly on it it passes."""
    return np.maximum(min, self)


@pointwise(
    formula="max(x, low)",
    name="clamp_min",
    grad_fn="ClampMinBackward1",
    at="internal",
    promotes="self min",
    saves="min self",
    self=lambda grad, self, min: where(self >= min, grad, 0),
    min=lambda grad, self, min: where(self < min, grad, 0),
)
def clamp_min_tensor(self: Any, min: Any) -> Any:
    """Keeps each element from falling below its bound; where it would, the bound gets the gradient."""
    return zeros_as_taken(np.maximum(self, min), self, min)


@pointwise(
    formula="min(x, high)",
    name="clamp_max",
    at="internal",
    promotes="self max",
    saves="max self",
    self=lambda grad, self, max: where(self <= max, grad, 0),
)
def clamp_max_number(self: Any, max: Any) -> Any:
    """Keeps x from rising above a bound; above it the gradient stops, exactly on it it passes."""
    return np.minimum(max, self)


@pointwise(
    formula="min(x, high)",
    name="clamp_max",
    grad_fn="ClampMaxBackward1",
    at="internal",
    promotes="self max",
    saves="max self",
    self=lambda grad, self, max: where(self <= max, grad, 0),
    max=lambda grad, self, max: where(self > max, grad, 0),
)
def clamp_max_tensor(self: Any, max: Any) -> Any:
    """Keeps each element from rising above its bound; where it would, the bound gets the gradient."""
    return zeros_as_taken(np.minimum(self, max), self, max)


@overloaded(inplace=True)
def clamp_min(self: Any, min: Any) -> Any:
    """At least ``min``."""
    return (clamp_min_tensor if isinstance(min, Tensor) else clamp_min_number), self, min


@overloaded(inplace=True)
def clamp_max(self: Any, max: Any) -> Any:
    """At most ``max``."""
    return (clamp_max_tensor if isinstance(max, Tensor) else clamp_max_number), self, max


def zeros_as_taken(chosen: Any, first: Any, second: Any, vectors: bool = True) -> Any:
    """The larger or smaller of each pair, with zero's sign as PyTorch has it.

    +0 and −0 are equal. PyTorch's vector code takes the second of equals, what it leaves over and plain code the first.
    """
    if chosen.dtype.kind != "f" or np.all(chosen):
        return chosen
    taken = np.broadcast_to(first, chosen.shape)
    if vectors:
        whole = chosen.size // (AT_ONCE // chosen.itemsize) * (AT_ONCE // chosen.itemsize)
        in_vectors = (np.arange(chosen.size) < whole).reshape(chosen.shape)
        taken = np.where(in_vectors, second, first)
    both = (chosen == 0) & np.equal(first, second)
    return np.where(both, taken, chosen).astype(chosen.dtype, copy=False)[()]


AT_ONCE = 64
"""Bytes that an elementwise AVX2 loop takes at a time."""


# ── the larger, the smaller ──────────────────────────────────────────────────────────────────────────────────────────


@pointwise(
    needs_tensors="other",
    formula="max(x, y)",
    inplace=False,
    self=lambda grad, self, other: where(self == other, grad / 2, grad).masked_fill(self < other, 0),
    other=lambda grad, self, other: where(self == other, grad / 2, grad).masked_fill(self > other, 0),
)
def maximum(self: Any, other: Any) -> Any:
    """The larger of two, element by element; it gets the gradient, and equals share it."""
    forbid_complex(self, "maximum")
    return zeros_as_taken(np.maximum(self, other), self, other)


@pointwise(
    needs_tensors="other",
    formula="min(x, y)",
    inplace=False,
    self=lambda grad, self, other: where(self == other, grad / 2, grad).masked_fill(self > other, 0),
    other=lambda grad, self, other: where(self == other, grad / 2, grad).masked_fill(self < other, 0),
)
def minimum(self: Any, other: Any) -> Any:
    """The smaller of two, element by element; it gets the gradient, and equals share it."""
    forbid_complex(self, "minimum")
    return zeros_as_taken(np.minimum(self, other), self, other)


@pointwise(
    needs_tensors="other",
    formula="max(x, y)",
    inplace=False,
    self=lambda grad, self, other: grad.masked_fill(((self >= other) | other.isnan()).logical_not(), 0),
    other=lambda grad, self, other: grad.masked_fill((self >= other) | other.isnan(), 0),
)
def fmax(self: Any, other: Any) -> Any:
    """The larger of two, a number before nan; of equals, the first gets the gradient."""
    return zeros_as_taken(np.fmax(self, other), self, other, vectors=False)


@pointwise(
    needs_tensors="other",
    formula="min(x, y)",
    inplace=False,
    self=lambda grad, self, other: grad.masked_fill(((self <= other) | other.isnan()).logical_not(), 0),
    other=lambda grad, self, other: grad.masked_fill((self <= other) | other.isnan(), 0),
)
def fmin(self: Any, other: Any) -> Any:
    """The smaller of two, a number before nan; of equals, the first gets the gradient."""
    return zeros_as_taken(np.fmin(self, other), self, other, vectors=False)


# ── blends ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def blend(start: Any, end: Any, weight: Any) -> Any:
    """From whichever end is nearer, as PyTorch rounds.

    Raises:
        NotImplementedError: for whole numbers.
    """
    if start.dtype.kind not in "fcV":
        kernel = "lerp_kernel_tensor" if hasattr(weight, "dtype") else "lerp_kernel_scalar"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_type(start)}'")
    return in_float(between, start, end, weight)


def between(start: Any, end: Any, weight: Any) -> Any:
    """`blend` in the arrays' own precision."""
    if not hasattr(weight, "dtype") and start.dtype.kind == "f":
        weight = start.dtype.type(weight)
    distance, near_start = end - start, np.abs(weight) < 0.5
    if np.ndim(weight):
        coefficient, base = np.where(near_start, weight, weight - 1), np.where(near_start, start, end)
    else:
        coefficient, base = (weight, start) if near_start else (weight - 1, end)
    return fused(coefficient, distance, base).astype(start.dtype)[()]


def same_dtype(**tensors: Any) -> None:
    """Blends do not promote.

    Raises:
        RuntimeError: dtypes differ.
    """
    first, *rest = tensors
    for name in rest:
        if hasattr(tensors[name], "dtype") and tensors[name].dtype != tensors[first].dtype:
            raise RuntimeError(
                f"expected dtype {c_type(tensors[first])} for `{name}` but got dtype {c_type(tensors[name])}"
            )


@pointwise(
    formula="x + w·(y − x)",
    name="lerp",
    at="internal",
    promotes="",
    self=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
)
def lerp_number(self: Any, end: Any, weight: Any) -> Any:
    """A point between two; each end gets its share of the gradient."""
    same_dtype(self=self, end=end)
    return blend(self, end, weight)


@pointwise(
    formula="x + w·(y − x)",
    name="lerp",
    grad_fn="LerpBackward1",
    at="internal",
    promotes="",
    self=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
    weight=lambda grad, end, self: grad * (end - self),
)
def lerp_tensor(self: Any, end: Any, weight: Any) -> Any:
    """A point between two, each with its own weight; the weight's slope is the distance between the ends."""
    same_dtype(self=self, end=end, weight=weight)
    return blend(self, end, weight)


@overloaded(inplace=True)
def lerp(self: Any, end: Any, weight: Any) -> Any:
    """The point ``weight`` of the way from ``self`` to ``end``."""
    return (lerp_tensor if isinstance(weight, Tensor) else lerp_number), self, end, weight


@pointwise(
    formula="x + c·a·b",
    promotes="self tensor1 tensor2",
    needs_tensors="tensor1 tensor2",
    saves="tensor1 tensor2 value",
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
    tensor2=lambda grad, tensor1, value: grad * (tensor1 * value),
)
def addcmul(self: Any, tensor1: Any, tensor2: Any, *, value: Number = 1) -> Any:
    """Adds a product; each factor's slope is the other factor (times ``value``)."""
    fits_whole(self, value)
    return in_float(lambda x, a, b: fused(a if value == 1 else a.dtype.type(value) * a, b, x), self, tensor1, tensor2)


@pointwise(
    formula="x + c·a / b",
    promotes="self tensor1 tensor2",
    needs_tensors="tensor1 tensor2",
    saves="tensor1 tensor2 value",
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
    tensor2=lambda grad, tensor1, tensor2, value: -grad * (value * tensor1 / (tensor2 * tensor2)),
)
def addcdiv(self: Any, tensor1: Any, tensor2: Any, *, value: Number = 1) -> Any:
    """Adds a quotient; its parts get what a division's get (times ``value``).

    Raises:
        RuntimeError: for whole numbers only.
    """
    if result_type([tensor1, tensor2]).category < 2:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
            "perform a true division of "
            "tensor1 and tensor2.\n\nDivide the tensors first, with torch.true_divide or torch.trunc, and add."
        )
    return in_float(lambda x, a, b: x + value * a / b, self, tensor1, tensor2)


def fits_whole(array: Any, value: Any) -> None:
    """Whole numbers take no fractional factor.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if array.dtype.kind in "iu" and isinstance(value, float):
        raise RuntimeError("For integral input tensors, argument value must not be a floating point number.")
