"""Going the way from a base to one of its views again, on another tensor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.ops.core.geometry import address, owner_of
from engine.ops.core.view_links import Step
from engine.ops.layout.strided import as_strided
from engine.storage import materialise
from engine.tensor import Tensor


def replay(base: Tensor, steps: Sequence[Step]) -> Tensor:
    """The view of ``base`` to which the steps lead."""
    begin, seen = address(materialise(base)), base
    for step in steps:
        if step.operator is not None:
            made = step.operator.run((seen, *step.arguments))
            seen = made[step.output] if isinstance(made, tuple) else made
        else:
            array = np.asarray(seen._array)
            offset = (begin + step.start - address(owner_of(array))) // array.itemsize
            seen = as_strided.run((seen, step.size, step.stride, offset))
    return seen


__all__ = ["replay"]
