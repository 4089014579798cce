"""Memory formats: row order, and that of images and volumes whose channels lie side by side.

What PyTorch computes from a channels-last image (a convolution, a pooling, a normalisation …) is channels-last again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.ops.core.geometry import contiguous_strides, look

CHANNELS_LAST = {"channels_last": (0, 2, 3, 1), "channels_last_3d": (0, 2, 3, 4, 1)}
"""Order of dimensions in memory, slowest first."""


def suggested_format(array: Any) -> str:
    """The memory format that an array's strides tell of: channels last only if they fit no other (PyTorch's ``suggest_memory_format``)."""
    for form, order in CHANNELS_LAST.items():
        if array.ndim == len(order) and array.strides[1] and steps_outwards(array, order):
            return form
    return "contiguous_format"


def steps_outwards(array: Any, order: Sequence[int]) -> bool:
    """Whether the strides grow from the channels outwards to the batch, whose own must be another than theirs."""
    least = 0
    for dim in reversed(order):
        length, stride = array.shape[dim], array.strides[dim]
        if not length or stride < least or (dim == 0 and least == array.strides[1]):
            return False
        least = stride * max(length, 1)
    return True


def channels_last(array: Any, form: str) -> Any:
    """A copy with its channels side by side.

    Raises:
        RuntimeError: the format needs images (or volumes) with batch and channels.
    """
    order = CHANNELS_LAST[form]
    if array.ndim != len(order):
        raise RuntimeError(f"required rank {len(order)} tensor to use {form} format")
    made = array.transpose(order).copy("C").transpose(np.argsort(order))
    steps = contiguous_strides([array.shape[d] for d in order])
    return look(made, array.shape, [steps[order.index(d)] for d in range(array.ndim)]) if made.size else made


def as_images(value: Any, operands: Sequence[Any]) -> Any:
    """``value`` with its channels side by side if they are so in an operand; otherwise as it is."""
    for operand in operands if value.ndim > 3 else ():
        # Channels side by side step no further than neighbours in a row do.
        if type(operand) is np.ndarray and operand.ndim == value.ndim and operand.strides[1] <= operand.strides[-1]:
            form = suggested_format(operand)
            if form != "contiguous_format":
                return channels_last(value, form)
    return value


def common_format(arrays: Sequence[Any]) -> str:
    """The memory format that all of the arrays tell of; row order if they disagree."""
    forms = {suggested_format(array) for array in arrays}
    return forms.pop() if len(forms) == 1 else "contiguous_format"
