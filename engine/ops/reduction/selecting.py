"""The gradient of what picks elements: it goes back to where each value came from."""

from __future__ import annotations

from typing import Any

from engine.ops.layout.copies import blank
from engine.tensor import Tensor


def as_picked(grad: Tensor, indices: Tensor, shape: Any, dim: int, keepdim: bool) -> Tensor:
    """Puts each gradient at the index its value was picked from, zeros elsewhere."""
    if not keepdim and len(shape):
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return blank(grad, shape).scatter(dim, indices, grad)
