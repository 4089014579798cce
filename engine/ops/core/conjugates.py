"""Which tensors PyTorch would hold as conjugates put off: it flips a bit where this engine computes at once.

The values are the same; the bit is seen by ``is_conj``, by ``is_neg`` of an imaginary part, and by what refuses to hand out
memory that it does not describe (``numpy``, ``view_as_real``). It belongs to the memory, so views have it too, and what is
computed has not.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from engine.ops.core.geometry import address, owner_of
from engine.storage import materialise
from engine.tensor import Tensor

_put_off: dict[int, weakref.ref[Any]] = {}
"""The arrays that own such memory, by identity."""


def put_off(tensor: Tensor) -> None:
    """Notes that ``tensor``, just computed, would be a conjugate put off."""
    if tensor._strided and not tensor.is_meta:
        owner = owner_of(materialise(tensor))
        key = id(owner)
        _put_off[key] = weakref.ref(owner, lambda _: _put_off.pop(key, None))


def holds_conjugates(tensor: Tensor) -> bool:
    """Whether its memory was noted."""
    if not _put_off or not tensor._strided or tensor.is_meta:
        return False
    return noted(materialise(tensor))


def noted(array: Any) -> bool:
    """Whether the memory that ``array`` looks at was noted."""
    return bool(_put_off) and isinstance(array, np.ndarray) and id(owner_of(array)) in _put_off


def is_conjugate(tensor: Tensor) -> bool:
    """Whether PyTorch would hold it as a conjugate put off."""
    return tensor._array.dtype.kind == "c" and holds_conjugates(tensor)


def is_negative(tensor: Tensor) -> bool:
    """Whether PyTorch would hold it as negated, being the imaginary part of a conjugate put off."""
    if tensor._array.dtype.kind != "f" or not holds_conjugates(tensor):
        return False
    array = materialise(tensor)
    owner = owner_of(array)
    return owner.dtype.kind == "c" and (address(array) - address(owner)) % owner.itemsize != 0


def require_resolved(tensor: Tensor) -> None:
    """Refuses to hand out memory as it would lie in PyTorch.

    Raises:
        RuntimeError: for a conjugate put off, or the imaginary part of one.
    """
    for is_so, bit, resolve in ((is_conjugate, "conjugate", "resolve_conj"), (is_negative, "negative", "resolve_neg")):
        if is_so(tensor):
            raise RuntimeError(
                f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.{resolve}().numpy() instead."
            )
