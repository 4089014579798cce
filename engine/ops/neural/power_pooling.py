"""Power-average pooling: the p-norm of each window."""

from __future__ import annotations

import math
from typing import Any

from engine.ops.core.declare import composite
from engine.ops.neural.average_pooling import avg_pool1d, avg_pool2d, avg_pool3d
from engine.ops.neural.pooling_shapes import pool_sizes, pooled_shapes
from engine.tensor import Tensor


def power_pooling(dims: int) -> None:
    """Declares ``lp_pool1d``, ``lp_pool2d`` or ``lp_pool3d``."""
    function, average_pool = f"lp_pool{dims}d", (avg_pool1d, avg_pool2d, avg_pool3d)[dims - 1]

    @composite(at="functional", name=function, explanation=pooled_shapes(dims), parsed=True)
    def pool(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
        # The p-norm of each window: averages of powers, scaled back to sums, and the root.
        out = average_pool(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
        area = math.prod(pool_sizes(kernel_size, dims, function, "kernel_size"))
        return (out.sign() * out.abs().relu()).mul(area).pow(1.0 / norm_type)


for dims in (1, 2, 3):
    power_pooling(dims)
