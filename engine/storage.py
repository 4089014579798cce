"""What tensors that look at the same memory share: the storage itself, and its version.

Every in-place write raises the version; a node that saved a tensor compares it before it uses what it saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.autograd.modes import state as modes
from engine.autograd.saved import tell_saved_memory, tell_saved_result

if TYPE_CHECKING:
    from engine.tensor import Tensor

ARRAYS = (np.ndarray, np.generic)
"""What holds a tensor's elements. A tuple: ``isinstance`` would make a union of the two anew at each of its calls."""


class Counter:
    """The version of one storage, shared by every tensor that looks at it."""

    __slots__ = ("value",)

    def __init__(self, value: int = 0) -> None:
        self.value = value


def materialise(tensor: Tensor) -> np.ndarray:
    """The tensor's array with storage of its own; replaces a numpy scalar by a 0-d array for good."""
    array: np.ndarray | np.generic = tensor._array
    if isinstance(array, np.generic):
        number, array = array, np.array(array)
        tensor._array = array
        if tensor._node is not None:
            tell_saved_memory(tensor._node, number, array)
    return array


def shared_counter(tensor: Tensor) -> Counter:
    """The version counter of its storage, made if it has none yet."""
    if tensor._counter is None:
        tensor._counter = Counter()
        if tensor._node is not None:
            tell_saved_result(tensor._node, tensor)
    return tensor._counter


def mark_inference(tensor: Tensor) -> None:
    """Makes it an inference tensor for good; its counter keeps it from standing for itself where tensors are saved."""
    tensor._inference, tensor._counter = True, Counter()
    if not modes.inference_met:
        modes.inference_met = True
        modes.refresh()
