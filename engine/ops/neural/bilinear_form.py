"""The bilinear layer's function, and the three-way product under it."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import c_type
from engine.ops.core.declare import composite, operator
from engine.tensor import Tensor


def spread(array: Any, dims: Any) -> Any:
    """Dimensions of length one, put in where ``dims`` says."""
    for dim in sorted(dims):
        array = np.expand_dims(array, dim)
    return array


@operator(
    at="internal",
    name="_trilinear",
    formula="Σ x · w · y",
    saves="expand1 expand2 expand3 i1 i2 i3 sumdim",
    i1=lambda grad, i2, i3, expand1, expand2, expand3, sumdim: trilinear(
        grad, i2, i3, sumdim, expand2, expand3, expand1
    ),
    i2=lambda grad, i1, i3, expand1, expand2, expand3, sumdim: trilinear(
        i1, grad, i3, expand1, sumdim, expand3, expand2
    ),
    i3=lambda grad, i1, i2, expand1, expand2, expand3, sumdim: trilinear(
        i1, i2, grad, expand1, expand2, sumdim, expand3
    ),
)
def trilinear(
    i1: Any, i2: Any, i3: Any, expand1: Any, expand2: Any, expand3: Any, sumdim: Any, unroll_dim: int = 1
) -> Any:
    """Multiplies three tensors and sums; each factor's slope is the product of the other two."""
    return (spread(i1, expand1) * spread(i2, expand2) * spread(i3, expand3)).sum(tuple(sumdim))


@composite(at="torch functional")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``x₁ᵀ W x₂ + b``: (…, D₁) and (…, D₂) with W (O, D₁, D₂) → (…, O).

    Raises:
        RuntimeError: sizes that do not go together.
    """
    given = {"input1": input1, "input2": input2, "weight": weight} | ({} if bias is None else {"bias": bias})
    if len({tensor.dtype for tensor in given.values()}) > 1:
        words = ", ".join(f"{name}: {c_type(tensor)}" for name, tensor in given.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {words}")
    if input1.ndim != input2.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.ndim} and {input2.ndim}")
    for d in range(input1.ndim - 1):
        if input1.shape[d] != input2.shape[d]:
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {d}: got {input1.shape[d]} and "
                f"{input2.shape[d]}"
            )
    for number, (x, size) in enumerate(((input1, weight.shape[1]), (input2, weight.shape[2])), 1):
        if x.shape[-1] != size:
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: got {x.shape[-1]} but expected {size}"
            )
    if bias is not None and bias.shape[0] != weight.shape[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected {weight.shape[0]}"
        )
    lead = input1.shape[:-1]
    rows = int(np.prod(lead))
    first, second = (x.contiguous().view(rows, x.shape[-1]) for x in (input1, input2))
    product = trilinear(first, weight, second, (1, 3), (0,), (1, 2), (2, 3))
    product = product.contiguous().view(*lead, weight.shape[0])
    return product if bias is None else product + bias
