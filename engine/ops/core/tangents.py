"""Forward-mode derivatives of in-place writes: the written tensor's tangent changes with it, and so does that of what it views."""

from __future__ import annotations

from typing import Any

from engine.observe import state as observing
from engine.ops.core.geometry import offset_of, strides_of
from engine.tensor import Tensor


def give_tangent(target: Tensor, held: Any) -> None:
    """Makes ``held`` (level and tangent) the target's; of the tensors that it is a view of, the part that it shows changes."""
    target._tangent = held
    with observing.silent():
        pass_on(target, held)


def pass_on(target: Tensor, held: Any) -> None:
    """Changes the tangents of what the target is a view of."""
    number, tangent = held
    source = target._base if target._tangent_source is None else target._tangent_source
    while source is not None and source.is_contiguous():
        before = source._tangent
        whole = before[1].clone() if before is not None and before[0] == number else source.new_zeros(source.shape)
        whole = whole.contiguous()
        window = whole.as_strided(target.shape, strides_of(target), offset_of(target) - offset_of(source))
        window.copy_(tangent)
        source._tangent = (number, whole)
        source = source._tangent_source
