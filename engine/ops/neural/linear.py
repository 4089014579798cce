"""The linear layer's function, and what is like it."""

from __future__ import annotations

import math

from engine.ops.core.autocast import lower_precision
from engine.ops.core.catalogue import torch_function
from engine.ops.core.declare import composite
from engine.tensor import Tensor


@composite(at="functional", parsed=True)
@lower_precision
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``x Wᵀ + b``: on a matrix one ``addmm``, on more dimensions an ``addmm`` of its rows.

    Raises:
        RuntimeError: the weight is no matrix, or the sizes do not go together.
    """
    dimensions, of_weight = input._array.ndim, weight._array.ndim
    if not dimensions:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are 0D and {of_weight}D")
    if of_weight == 1 and bias is not None and bias.ndim:
        raise RuntimeError("mat2 must be a matrix, got 1-D tensor")
    if bias is None or (of_weight != 2 != dimensions):
        product = input.matmul(weight.t())
        return product if bias is None else product + bias
    if dimensions == 2:
        return torch_function("addmm")(bias, input, weight.t())
    is_row = bias.ndim == 1 or sum(length != 1 for length in bias.shape) == 1
    if is_row and input.is_contiguous():
        rows = input.view(math.prod(input.shape[:-1]), input.shape[-1])
        return torch_function("addmm")(bias, rows, weight.t()).view(*input.shape[:-1], weight.shape[0])
    return input.matmul(weight.t()).add_(bias)
