"""``exp(A) = Σ Aⁿ/n!``."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import operator
from engine.ops.linear_algebra.matrices import require_floating, require_square
from engine.tensor import Tensor

SERIES = 18
"""Terms of the series: with the norm scaled to ½, the rest is below double precision's rounding."""


def exponential(matrix: Any) -> Any:
    """Scaling and squaring of the Taylor series (Moler and Van Loan, *Nineteen dubious ways*, method 3)."""
    norm = np.abs(matrix).sum(-2).max(-1, initial=0.0)
    with np.errstate(all="ignore"):
        halvings = np.where(norm > 0.5, np.ceil(np.log2(np.where(norm > 0, norm, 1))) + 1, 0)
    halvings = np.where(np.isfinite(halvings), halvings, 0).astype(int)
    scaled = matrix / np.exp2(halvings)[..., None, None]
    eye = np.broadcast_to(np.eye(matrix.shape[-1], dtype=matrix.dtype), matrix.shape)
    result = eye
    for n in range(SERIES, 0, -1):
        result = eye + (scaled @ result) / n
    for turn in range(int(halvings.max(initial=0))):
        result = np.where((halvings > turn)[..., None, None], result @ result, result)
    return result


def matrix_exp_backward(grad: Tensor, self: Tensor) -> Tensor:
    """The upper right block of ``exp([[Aᴴ, G], [0, Aᴴ]])`` (Mathias, 1996)."""
    adjoint, size = self.mH, self.shape[-1]
    blocks = adjoint.new_zeros((*adjoint.shape[:-2], 2 * size, 2 * size))
    above, below = blocks.narrow(-2, 0, size), blocks.narrow(-2, size, size)
    above.narrow(-1, 0, size).copy_(adjoint)
    below.narrow(-1, size, size).copy_(adjoint)
    above.narrow(-1, size, size).copy_(grad)
    return matrix_exp(blocks).narrow(-2, 0, size).narrow(-1, size, size)


@operator(
    formula="eᴬ", grad_fn="LinalgMatrixExpBackward0", aliases="linalg.matrix_exp",
    self=lambda grad, self: matrix_exp_backward(grad, self),
)  # fmt: skip
def matrix_exp(self: Any) -> Any:
    """The exponential series with a matrix in it.

    Raises:
        RuntimeError: not square, or whole numbers.
    """
    require_square("linalg.matrix_exp", self)
    require_floating("linalg.matrix_exp", self)
    precise = np.complex128 if self.dtype.kind == "c" else np.float64
    return exponential(self.astype(precise)).astype(self.dtype)
