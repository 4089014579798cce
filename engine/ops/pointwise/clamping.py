"""Bounds: numbers and tensors that keep x from rising above or falling below them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import overloaded, pointwise
from engine.ops.pointwise.larger_smaller import zeros_as_taken
from engine.ops.pointwise.no_order import forbid_complex
from engine.ops.selection.masks import where
from engine.tensor import Tensor


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
        TypeError: a number, and a tensor that stands for none.
    """
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    bounded = isinstance(min, Tensor) or isinstance(max, Tensor)
    if bounded and not (isinstance(min, Tensor | None) and isinstance(max, Tensor | None)):  # a tensor and a number
        bound: Tensor = min if isinstance(min, Tensor) else max
        if bound.dim() or bound.requires_grad:
            raise TypeError("clamp() takes two tensors or two numbers")
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
