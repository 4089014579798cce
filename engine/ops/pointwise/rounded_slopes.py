"""Slopes of bent activations on bare arrays, rounded as PyTorch's AVX2 kernels round: one kernel, in a graph of its own or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.on_arrays import takes_arrays
from engine.ops.pointwise.vector_exp import elementwise


@takes_arrays
def softplus_rounded(grad: Any, self: Any, beta: Any, threshold: Any) -> Any:
    """``grad · z / (z + 1)`` with ``z = e^(β·x)``; beyond the threshold it is straight."""
    scaled = self * self.dtype.type(beta)
    power = elementwise(lambda x, exp: exp(np.minimum(x, x.dtype.type(threshold))), scaled)
    return np.where(scaled > threshold, grad, grad * power / (power + 1))[()]


@takes_arrays
def elu_rounded(grad: Any, self: Any, alpha: float, scale: Any, input_scale: Any) -> Any:
    """The scale where x is positive, the bent side's slope elsewhere."""
    kind = self.dtype.type
    power = elementwise(lambda x, exp: exp(x), np.minimum(self, kind(0)) * kind(input_scale))
    bent = grad * kind(input_scale) * kind(alpha * scale) * power
    return np.where(self <= 0, bent, grad * kind(scale))[()]
