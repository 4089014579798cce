"""Half-precision tensors times, or divided by, a single number: PyTorch computes with the number in float32 and rounds once."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.promotion import Promotion
from engine.ops.pointwise.precision import is_half


class FactorPromotion(Promotion):
    """Leaves the second operand in float32 where it is one number and the first is of half precision."""

    __slots__ = ()

    def apply(self, arrays: list[Any]) -> None:
        """As `Promotion`; a kernel gives its result back through `rounded`."""
        factor = arrays[self.positions[1]]
        super().apply(arrays)
        if is_half(arrays[self.positions[0]]) and np.size(factor) == 1:
            arrays[self.positions[1]] = np.asarray(factor).astype(np.float32)


def rounded(result: Any, operand: Any) -> Any:
    """The result in the dtype of the operand that is not a number."""
    return result.astype(operand.dtype) if is_half(operand) else result
