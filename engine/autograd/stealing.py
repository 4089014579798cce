"""Whether a gradient may be kept as it is: PyTorch copies it into ``.grad`` only if somebody else might still look at it.

That nobody else does is read off the number of references, as in PyTorch. How many there are on the way from the backward
engine to here depends on the interpreter, so it is measured once, on the same way.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from engine.autograd.layout import is_dense
from engine.autograd.switches import switches


class Receiver:
    """Takes a gradient out of a list, like `AccumulateGrad`, whose leaf looks at it in a call of its own."""

    def receive(self, gradients: list[Any]) -> int:
        """The number of references when nobody else has one."""
        return self.look(gradients[0])

    def look(self, incoming: Any) -> int:
        """The same, a call deeper."""
        return sys.getrefcount(incoming)


class Holder:
    """Holds an array as an attribute, like a tensor."""

    def __init__(self) -> None:
        self.array = np.zeros(1)


ALONE = Receiver().receive([np.zeros(1)])
"""References to a gradient that nobody but the engine holds."""
_holder = Holder()
HELD = sys.getrefcount(_holder.array)
"""References to an array that nobody but one tensor holds."""


def fits(gradient: Any, array: Any) -> bool:
    """Whether an array may become the gradient of a tensor with this array: it lies in memory in the same order.

    It may be a view of another message, as in PyTorch: then two leaves' gradients share memory, and a second pass that adds to one
    in place adds to both. (What is spread out of fewer numbers cannot be written to and does not lie so.)
    """
    if type(gradient) is not np.ndarray or not gradient.flags.writeable:
        return False
    if not switches.layout_enforced:
        return True
    if (
        isinstance(array, np.generic)
        or array.flags.c_contiguous
        or array.shape != gradient.shape
        or not is_dense(array)
    ):
        return bool(gradient.flags.c_contiguous) and (0 not in gradient.strides or not is_dense(array))
    return bool(gradient.strides == array.strides)
