"""The larger and the smaller of two, element by element, with and without regard to nan."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import pointwise
from engine.ops.pointwise.no_order import forbid_complex
from engine.ops.selection.masks import where

AT_ONCE = 64
"""Bytes that an elementwise AVX2 loop takes at a time."""


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
