"""Grids of vectors, and what is chosen out of them: their coordinates, their products, their combinations."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import composite
from engine.ops.core.misuse import only_tensors
from engine.ops.layout.joining import stack
from engine.tensor import Tensor, wrap
from engine.warned import warn_once


@composite(at="torch")
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid: each vector repeated along all dimensions but its own.

    Raises:
        RuntimeError: for anything but vectors, or an indexing that is neither ``ij`` nor ``xy``.
    """
    given = only_tensors(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors)
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if len({t.dtype for t in given}) > 1:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for tensor in given:
        if tensor._array.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {tensor!r}")
    if indexing is None:
        warn_once(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
            stacklevel=3,
        )
    places = list(range(len(given)))
    if indexing == "xy" and len(given) >= 2:
        places[:2] = 1, 0
    shape = [given[p]._array.size for p in places]
    grids = []
    for tensor, place in zip(given, places, strict=True):
        alone = [1] * len(given)
        alone[place] = tensor._array.size
        grids.append(tensor.view(alone).expand(shape))
    return tuple(grids)


@composite(at="torch")
def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of one element of each vector, a row each.

    Raises:
        RuntimeError: no vectors.
    """
    for tensor in only_tensors(tensors):
        if tensor._array.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(tensor._array.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack([g.flatten() for g in meshgrid(*tensors, indexing="ij")], 1)


@composite(at="torch")
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All ways to choose ``r`` elements of a vector, a row each.

    Raises:
        RuntimeError: no vector, or a negative number of elements.
    """
    if input._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if not r:
        return wrap(np.empty(0, input._array.dtype))
    places = np.meshgrid(*[np.arange(input._array.size)] * r, indexing="ij")
    mask = np.ones((input._array.size,) * r, bool)
    for left, right in zip(places, places[1:], strict=False):
        mask &= left <= right if with_replacement else left < right
    return stack([g.masked_select(wrap(mask)) for g in meshgrid(*[input] * r, indexing="ij")], 1)
