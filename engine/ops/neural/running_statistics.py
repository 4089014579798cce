"""The statistics that batch normalisation keeps between batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.observe import state as observing
from engine.ops.neural.channel_moments import centre_and_squares, per_channel
from engine.ops.pointwise.precision import fused
from engine.storage import materialise
from engine.tensor import Tensor


def update_running(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, momentum: float) -> None:
    """Moves the running statistics towards this batch's (the variance unbiased). As in PyTorch, versions stay."""
    if input.is_meta:
        return
    mean, squares = (each.reshape(-1) for each in centre_and_squares(input._array))
    spare = per_channel(input._array) - 1
    if input._array.dtype == np.float32:
        squares = squares.astype(np.float32)
    for running, value in ((running_mean, mean), (running_var, squares / spare if spare else squares * np.nan)):
        if running is not None:
            held = materialise(running)
            held[...] = moved_towards(held, value, momentum, fusing=running is running_var)
            if observing.listener is not None:
                observing.listener.written(running, "batch_norm", running._version, running._version, None)


def moved_towards(held: Any, value: Any, momentum: float, fusing: bool) -> Any:
    """``momentum · value + (1 − momentum) · held``; in float32 all of it, and for the variance fused, as PyTorch's kernel is."""
    if held.dtype != np.float32:
        return (momentum * value + (1 - momentum) * held).astype(held.dtype)
    share = np.float32(momentum)
    kept = (1 - share) * held
    value = value.astype(np.float32)
    return fused(share, value, kept) if fusing else share * value + kept
