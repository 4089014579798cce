"""Matrix products."""

from __future__ import annotations

from typing import Any

from engine.ops.declare import composite, operator
from engine.tensor import Tensor


@operator(
    formula="A · B",
    saves="self mat2 self_sym_sizes self_sym_strides mat2_sym_sizes mat2_sym_strides",
    self=lambda grad, mat2: grad.mm(mat2.t()),
    mat2=lambda grad, self: self.t().mm(grad),
)
def mm(self: Any, mat2: Any) -> Any:
    """Every row of A meets every column of B in a dot product."""
    return self @ mat2


@composite()
def matmul(self: Tensor, other: Tensor) -> Tensor:
    """The matrix product."""
    return mm(self, other)  # type: ignore[no-any-return]


Tensor.__matmul__ = matmul  # type: ignore[method-assign,assignment]
