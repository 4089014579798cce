"""Tangents: where forward mode keeps the derivative of a tensor, and how views and in-place writes share it.

A tensor's tangent is laid out as the tensor is, so whatever makes a view of a tensor makes the same view of its tangent, and a write
to either is seen through both. A view looks its tangent up in what it is a view of; ``detach`` and `make_dual` cut that link
(PyTorch: "Forward Grad View/inplace").
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.autograd.saved import FREED, SavedResult
from engine.observe import state as observing
from engine.ops.core.batching import with_mark
from engine.ops.core.geometry import look, offset_of, storage_of, strides_of
from engine.storage import materialise
from engine.tensor import CUT, Tensor, wrap


class Epoch:
    """Counts the dual levels that were left; a tangent of an earlier one is no longer there."""

    number = 0


epoch = Epoch()


def tangent_of(tensor: Any) -> Tensor | None:
    """The tangent a tensor carries in this level, its own or its part of that of the tensor it is a view of."""
    if not isinstance(tensor, Tensor):
        return None
    held = tensor._tangent
    if held is not None and held[0] == epoch.number:
        return held[1]
    base = source_of(tensor)
    whole = None if base is None else tangent_of(base)
    if whole is None:
        return None
    part = window(whole, base, tensor)
    hold(tensor, part)
    return part


def source_of(view: Tensor) -> Tensor | None:
    """The tensor whose tangent this view's own is a part of; None for what is no such view."""
    source = view._tangent_source
    return view._base if source is None else None if source is CUT else source


def hold(tensor: Tensor, tangent: Tensor | None) -> None:
    """Keeps a tangent that is known to fit (None: takes it away)."""
    tensor._tangent = None if tangent is None else (epoch.number, tangent)


def link_tangents(source: Tensor, view: Tensor) -> None:
    """Notes that the tangent of ``view`` is a part of that of ``source``, which is not simply its base's."""
    if source._tangent_source is not None:
        root = source_of(source)
        view._tangent_source = source if root is None else root


def set_tangent(tensor: Tensor, tangent: Tensor, written: bool = False) -> None:
    """Gives a tensor its tangent, laid out as the tensor is: the very tensor given if it is so already, a copy otherwise.

    Args:
        written: the tensor was written into, so what it is a view of gets a tangent with it.

    Raises:
        RuntimeError: the tangent has a tangent, or another shape than the tensor.
    """
    if tangent_of(tangent) is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level0 is not supported."
        )
    check_size(tensor, tangent)
    base = source_of(tensor) if written else None
    if base is not None and tangent_of(base) is None:
        if laid_out_alike(tangent, base) and laid_out_alike(tangent, tensor):
            hold(base, tangent)
        else:
            hold(base, zeros_laid_out_as(base, tangent))
            part = window(tangent_of(base), base, tensor)
            tangent = overwritten(part, tangent)
    if not laid_out_alike(tangent, tensor):
        tangent = overwritten(zeros_laid_out_as(tensor, tangent), tangent)
    hold(tensor, tangent)


def tell_node(result: Tensor) -> None:
    """A node that keeps its output keeps the tangent too: backward may be differentiated forward."""
    node: Any = result._node
    for entry in () if node is None or node.saved is FREED else node.saved:
        if isinstance(entry, SavedResult) and entry.output_nr == result._output_nr:
            entry.tangent = result._tangent


def write_tangent(target: Tensor, tangent: Tensor | None) -> None:
    """The tangent of a tensor that was written into: its old one is written into as well, since others may look at it."""
    if tangent is None:
        return
    with observing.silent():
        before = tangent_of(target)
        if before is None:
            set_tangent(target, tangent, written=True)
        else:
            overwritten(before, tangent)


def overwritten(tangent: Tensor, values: Tensor) -> Tensor:
    """The tangent with other values in its memory. No transform is asked whether it may be written to: the person does not write."""
    layers, modes.layers = modes.layers, []
    try:
        return tangent.copy_(values)
    finally:
        modes.layers = layers


def check_size(tensor: Tensor, tangent: Tensor) -> None:
    """Refuses a tangent that does not fit its tensor.

    Raises:
        RuntimeError: it has another shape.
    """
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
            f"Tensor is of size {list(tensor._array.shape)} while the given forward gradient is of size "
            f"{list(tangent._array.shape)}."
        )


def window(whole: Any, base: Any, view: Tensor) -> Tensor:
    """What ``view`` shows of ``base``, shown of ``whole``, which is laid out as the base is."""
    scale = 1
    with observing.silent():
        if base.is_complex() and not view.is_complex():
            from engine.ops.core.catalogue import TABLES  # which stands above this file

            whole, scale = TABLES["torch"]["view_as_real"](whole), 2
        start = offset_of(view) - scale * offset_of(base) + scale * offset_of(whole)
        return whole.as_strided(view.shape, strides_of(view), start)


def laid_out_alike(tangent: Tensor, tensor: Tensor) -> bool:
    """Whether both have the same sizes, strides, offset and storage length."""
    one, other = tangent._array, tensor._array
    if isinstance(one, np.generic) and isinstance(other, np.generic):
        return True
    if one.shape != other.shape or length(tangent) != length(tensor):
        return False
    if not one.size:
        return True
    steps = zip(one.shape, strides_of(tangent), strides_of(tensor), strict=True)
    return offset_of(tangent) == offset_of(tensor) and all(n == 1 or s == t for n, s, t in steps)


def length(tensor: Tensor) -> int:
    """Number of elements in its storage."""
    return int(storage_of(tensor).nbytes) // tensor._array.itemsize


def zeros_laid_out_as(tensor: Tensor, tangent: Tensor) -> Tensor:
    """Zeros of the tangent's dtype in memory that is divided as the tensor's is."""
    array = materialise(tensor)
    storage = np.zeros(length(tensor), tangent._array.dtype)
    return with_mark(wrap(look(storage, array.shape, strides_of(tensor), offset_of(tensor))), tangent)
