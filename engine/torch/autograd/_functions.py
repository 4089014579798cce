"""``torch.autograd._functions``: an old custom Function."""

from __future__ import annotations

import math
from typing import Any

from engine.autograd.function import Function


class Resize(Function):
    """Gives a tensor another shape of as many elements.

    Raises:
        RuntimeError: the numbers of elements differ.
    """

    @staticmethod
    def forward(ctx: Any, tensor: Any, sizes: tuple[int, ...]) -> Any:
        """A view of it."""
        count = math.prod(sizes)
        if count != tensor.numel():
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({count} elements in total), but the given tensor has a size of "
                f"{'x'.join(map(str, tensor.shape))} ({tensor.numel()} elements). autograd's resize can only change the shape of a "
                "given tensor, while preserving the number of elements."
            )
        ctx.input_size = tensor.shape
        return tensor.contiguous().view(*sizes)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        """The gradient in the old shape."""
        return gradient.contiguous().view(ctx.input_size), None
