"""How a meta tensor shows itself: three dots, and the facts."""

from __future__ import annotations

from engine import dtype as dtypes
from engine.printing.description import describe_without_elements
from engine.tensor import Tensor


def shown(tensor: Tensor, grad_fn: str | None, type_name: str, requires_grad: bool) -> str:
    """PyTorch's ``tensor(..., device='meta', size=(2, 3))``."""
    return describe_without_elements(
        tensor._array.shape,
        tensor.dtype.name,
        "meta",
        default_dtype=dtypes.defaults.floating.name,
        requires_grad=requires_grad,
        grad_fn=grad_fn,
        type_name=type_name,
    )
