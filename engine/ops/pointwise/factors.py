"""Half-precision tensors times, or divided by, a single number: PyTorch computes with the number in float32 and rounds once."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.promotion import Promotion


class FactorPromotion(Promotion):
    """Leaves the second operand in float32 where it is one number and the first is of half precision."""

    __slots__ = ()

    def apply(self, arrays: list[Any]) -> None:
        """As `Promotion`; a kernel gives its result back through `rounded`."""
        factor = arrays[self.positions[1]]
        super().apply(arrays)
        if is_half(arrays[self.positions[0]]) and np.size(factor) == 1:
            arrays[self.positions[1]] = np.asarray(factor).astype(np.float32)


def is_half(operand: Any) -> bool:
    """Whether it is an array (or numpy scalar) of float16 or bfloat16."""
    return hasattr(operand, "dtype") and operand.dtype.itemsize == 2 and operand.dtype.kind in "fV"


def rounded(result: Any, operand: Any) -> Any:
    """The result in the dtype of the operand that is not a number."""
    return result.astype(operand.dtype) if is_half(operand) else result
