"""``convolution``'s derivative as one operation: what a gradient's own graph shows of a convolution, and its derivative in turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.ops.core.declare import operator
from engine.ops.core.recorded import recorded
from engine.ops.neural.convolution import convolution, meet, scatter
from engine.ops.neural.windows import Sizes, tuples
from engine.summation import carrier
from engine.tensor import Tensor


@operator(
    order="images",
    at="internal",
    outputs="result0 result1 result2",
    undefined_gradients=True,
    differentiable="grad_output input weight",
    saves="dilation grad_output groups input output_padding padding stride transposed weight",
    joint=lambda grads, needs, grad_output, input, weight, stride, padding, dilation, transposed, output_padding, groups: (
        derive_again(
            grads, needs, grad_output, input, weight, (stride, padding, dilation, transposed, output_padding, groups)
        )
    ),
)
def convolution_backward(
    grad_output: Any,
    input: Any,
    weight: Any,
    bias_sizes: Any,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    transposed: bool,
    output_padding: Sizes,
    groups: int,
    output_mask: Sequence[bool],
) -> Any:
    """``convolution``'s derivative as an operation of its own."""
    kind = grad_output.dtype
    grad_output, input, weight = (each.astype(carrier(kind), copy=False) for each in (grad_output, input, weight))
    nothing = np.zeros(0, kind)
    geometry: Any = (*tuples(stride, padding, dilation), groups)
    over, under = (input, grad_output) if transposed else (grad_output, input)
    if not output_mask[0]:
        slope = nothing
    elif transposed:
        slope = convolution.kernel(grad_output, weight, None, *geometry[:3], False, (0,) * len(stride), groups)
        # Output padding may leave room for one window more.
        slope = slope[tuple(slice(0, size) for size in input.shape)]
    else:
        slope = scatter(grad_output, weight, input.shape, *geometry)
    found = (
        slope,
        meet(over, under, weight.shape, *geometry) if output_mask[1] else nothing,
        np.sum(grad_output, (0, *range(2, grad_output.ndim))) if output_mask[2] else nothing,
    )
    return tuple(each.astype(kind, copy=False) for each in found)  # halves are added up in float32


def derive_again(
    grads: Sequence[Any],
    needs: Sequence[bool],
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    options: tuple[Any, ...],
) -> list[Any]:
    """What the gradients of a convolution's gradients send back: a convolution is linear in its input and in its weight.

    Args:
        grads: for the gradients of input, weight and bias; None where nothing came.
        needs: whether the incoming gradient, the input and the weight want one.
        options: stride, padding, dilation, transposed, output_padding, groups.
    """
    of_input, of_weight, of_bias = grads
    if grad_output.dtype.is_complex:
        grad_output, input, weight = grad_output.conj(), input.conj(), weight.conj()
    dims = len(options[0])
    terms = []
    if needs[0] and of_input is not None:
        terms.append(convolution(of_input, weight, None, *options))
    if needs[0] and of_weight is not None:
        terms.append(convolution(input, of_weight, None, *options))
    if needs[0] and of_bias is not None:
        terms.append(of_bias.view((-1, *(1,) * dims)).expand(grad_output.shape))
    total = None
    for term in terms:
        total = term if total is None else total + term
    wanted = needs[1] and of_weight is not None
    again = needs[2] and of_input is not None
    return [
        total,
        convolution_backward(grad_output, input, of_weight, None, *options, [True, False, False])[0]
        if wanted
        else None,
        convolution_backward(grad_output, of_input, weight, None, *options, [False, True, False])[1] if again else None,
    ]


def convolved_back(
    grad: Tensor,
    needs: Sequence[bool],
    input: Tensor,
    weight: Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> list[Tensor]:
    """All gradients of a convolution by its one backward kernel."""
    factors = [t.conj() if t.dtype.is_complex else t for t in (input, weight)]
    options = stride, padding, dilation, transposed, output_padding, groups
    return list(convolution_backward(grad, *factors, None, *options, list(needs)))


recorded(convolution, joint=convolved_back)
