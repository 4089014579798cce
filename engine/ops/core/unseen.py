"""When nobody could tell of which operations a result is composed, it may be computed at once."""

from __future__ import annotations

from engine.autograd.modes import state as modes
from engine.observe import state as observing
from engine.tensor import Tensor


def goes_unseen(*operands: Tensor) -> bool:
    """Whether the operands are float32 or float64 alike, no node is recorded, nobody listens and no mode looks on."""
    if observing.listener is not None or modes.special:
        return False
    dtype, recording = operands[0]._array.dtype, modes.grad_enabled
    if dtype.char not in "fd":
        return False
    return all(each._array.dtype is dtype and not (recording and each.requires_grad) for each in operands)
