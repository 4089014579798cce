"""Python numbers given where tensors could stand: saved as PyTorch saves them, and marked for further derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.autograd.node import Node
from engine.tensor import Tensor, wrap


class WrappedInt(int):
    """A whole number that stands for a tensor."""


class WrappedFloat(float):
    """A number that stands for a tensor."""


def wrapped_number(value: Any) -> Any:
    """A number marked as standing for a tensor."""
    return WrappedFloat(value) if type(value) is float else WrappedInt(value) if type(value) is int else value


class SavedScalar:
    """A Python number given where a tensor could stand; PyTorch saves it as a tensor, so freeing drops it too."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def _shown(self, node: Any) -> Tensor:
        """The tensor PyTorch would show for it."""
        return self.shown()

    def _unpack(self, node: Node) -> Any:
        """The plain number: derivatives compute with it at Python speed.

        In a derivative that is being recorded it is marked as the tensor that it is to PyTorch (``MulBackward0``, not 1).
        """
        return wrapped_number(self.value) if modes.deriving else self.value

    def shown(self) -> Tensor:
        """What the person sees: a 0-d tensor of the number's own widest type."""
        return wrap(np.asarray(self.value)[()])
