"""Reducing a source into chosen places of a tensor: what `scatter_reduce` and `index_reduce` share."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from engine.autograd.delayed_error import DelayedError
from engine.autograd.modes import state as modes
from engine.ops.selection.masks import choose, masked_fill
from engine.tensor import Tensor, wrap

REDUCERS = {"sum": np.add, "prod": np.multiply, "mean": np.add, "amax": np.maximum, "amin": np.minimum}


class Places(Protocol):
    """Where a source's elements go; how the gradient reads and writes there."""

    words: tuple[str, str]
    """What PyTorch calls the operator, and its source."""

    def read(self, tensor: Tensor) -> Tensor:
        """The elements that each source element went to."""
        ...

    def add(self, tensor: Tensor, source: Tensor) -> Tensor:
        """``source`` added into a copy of ``tensor``."""
        ...

    def fill(self, tensor: Tensor, value: Any) -> Tensor:
        """A copy with one value at the places written to."""
        ...

    def reduce(self, tensor: Tensor, source: Tensor, how: str, include_self: bool) -> Tensor:
        """The reduction itself."""
        ...


def reduce_at(array: Any, key: tuple[Any, ...], source: Any, how: str, include_self: bool) -> Any:
    """``source`` reduced into a copy of ``array``; without ``include_self`` what stood at the places does not count."""
    result = np.array(array)
    if not include_self:
        result[key] = neutral(result.dtype, how)
    REDUCERS[how].at(result, key, source)
    if how == "mean":
        count = np.full(result.shape, int(include_self), np.int64)
        np.add.at(count, key, 1)
        count = np.maximum(count, 1)
        result = (result // count if result.dtype.kind in "iu" else result / count).astype(result.dtype)
    return result


def neutral(dtype: Any, how: str) -> Any:
    """What leaves the other operand of a reduction unchanged."""
    if how in ("sum", "mean"):
        return 0
    if how == "prod":
        return 1
    if dtype.kind == "b":
        return how == "amin"
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return limits.min if how == "amax" else limits.max
    return -np.inf if how == "amax" else np.inf


def spread_reduction(
    grad: Tensor, self: Tensor, source: Tensor, result: Tensor, how: str, include_self: bool, places: Places
) -> list[Tensor]:
    """Gradients of the tensor and of the source.

    A sum hands the gradient on, a mean divides it by how many took part, a product multiplies by the other factors, and
    a largest or smallest value shares it evenly among all that equal it.
    """
    if how == "sum":
        ours, theirs = grad, places.read(grad)
    elif how == "mean":
        count = wrap(np.full(grad._array.shape, int(include_self), grad._array.dtype))
        count = places.add(count, wrap(np.ones(source._array.shape, grad._array.dtype)))
        count = masked_fill(count, wrap(count._array == 0), 1)
        ours, theirs = grad / count, places.read(grad) / places.read(count)
    elif how == "prod":
        ours, theirs = spread_product(grad, self, source, result, include_self, places)
    else:
        is_ours = wrap((self._array == result._array).astype(grad._array.dtype))
        is_theirs = wrap((source._array == places.read(result)._array).astype(grad._array.dtype))
        shared = grad / places.add(is_ours, is_theirs)
        ours, theirs = is_ours * shared, is_theirs * places.read(shared)
    return [ours if include_self else places.fill(ours, 0), theirs]


def spread_product(
    grad: Tensor, self: Tensor, source: Tensor, result: Tensor, include_self: bool, places: Places
) -> tuple[Tensor, Tensor]:
    """A product's gradient: grad times the product of the other factors; zeros are taken out before dividing."""
    ours_nonzero = masked_fill(self, wrap(self._array == 0), 1)
    ours = grad * places.reduce(ours_nonzero, source, "prod", include_self) / ours_nonzero
    zero = source._array == 0
    zeros = wrap(np.zeros(self._array.shape, grad._array.dtype))
    count = places.read(places.add(zeros, wrap(zero.astype(grad._array.dtype))))._array
    only_zero = wrap(zero & (count == 1))
    without = places.reduce(self, masked_fill(source, only_zero, 1), "prod", include_self)
    theirs = choose(
        only_zero,
        places.read(grad * without),
        places.read(grad * result) / masked_fill(source, wrap(zero), 1),
    )
    if modes.grad_enabled and bool((zero & (count > 1)).any()):
        operator, name = places.words
        message = (
            f"{operator}(): Double backward is unsupported for {name} when >1 zeros in {name} are scattered to the same position in "
            "self"
        )
        theirs = DelayedError(message, 1)(theirs)
    return ours, theirs
