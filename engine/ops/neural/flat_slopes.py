"""Gradients that do not depend on the input: their own slope with respect to it is zero, not missing."""

from __future__ import annotations

from engine import dtype as dtypes
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


def zeros_for(tensor: Tensor) -> Tensor:
    """A zero for every element."""
    return TABLES["torch"]["zeros_like"](tensor)


def zeros_of(shape: tuple[int, ...], dtype: dtypes.dtype) -> Tensor:
    """Zeros for a tensor of which only this much was kept."""
    return TABLES["torch"]["zeros"](shape, dtype=dtype)
