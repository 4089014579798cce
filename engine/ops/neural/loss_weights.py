"""What a loss asks of the weights of its classes or elements."""

from __future__ import annotations

from engine.autograd.modes import state as modes
from engine.dtype_names import scalar_type
from engine.tensor import Tensor


def check_weight(weight: Tensor | None, like: Tensor, kernel: str, same_dtype: bool = True) -> None:
    """Weights of a loss are constants, and of the scores' dtype where the kernel reads them side by side.

    Raises:
        RuntimeError: weights that ask for a gradient, or of another dtype.
    """
    if weight is None:
        return
    if modes.grad_enabled and weight.requires_grad:
        raise RuntimeError(
            f"The function '{kernel}' is not differentiable with respect to argument 'weight'. This input cannot have "
            "requires_grad True."
        )
    if same_dtype and weight.dtype is not like.dtype:
        raise RuntimeError(f"expected scalar type {scalar_type(like)} but found {scalar_type(weight)}")
