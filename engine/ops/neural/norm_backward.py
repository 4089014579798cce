"""Backward kernels of the normalisations: what a gradient's own graph shows of them.

Batch and layer normalisation have one node; group normalisation's gradient is composed once its graph is wanted, of its
own mean and deviation among others, which are outputs of the forward node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.ops.core.declare import operator
from engine.ops.core.recorded import recorded
from engine.ops.neural.batch_norm import native_batch_norm, with_running, without_running
from engine.ops.neural.batch_norm_slopes import batch_norm_slopes
from engine.ops.neural.group_norm import native_group_norm
from engine.ops.neural.layer_norm import layer_norm_slopes, native_layer_norm
from engine.ops.neural.second_order import derived_again, in_operators
from engine.ops.reduction.spread import var_backward
from engine.tensor import Tensor


@operator(
    at="internal",
    outputs="result0 result1 result2",
    undefined_gradients=True,
    differentiable="grad_out input weight save_mean save_invstd",
    saves="eps grad_out input running_mean running_var save_invstd save_mean train weight",
    joint=lambda grads, grad_out, input, weight, running_mean, running_var, train, eps, _output_mask: derived_again(
        lambda g, x, w: batch_norm_slopes([g], x, w, running_mean, running_var, train, eps, _output_mask),
        [grad_out, input, weight],
        grads,
    ),
)
def native_batch_norm_backward(
    grad_out: Any,
    input: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    save_mean: Any,
    save_invstd: Any,
    train: bool,
    eps: float,
    _output_mask: Sequence[bool],
) -> Any:
    """``native_batch_norm``'s derivative as an operation of its own."""
    return in_operators(
        lambda *given: batch_norm_slopes([given[0]], *given[1:]),
        *(grad_out, input, weight, running_mean, running_var, train, eps, _output_mask),
    )


@operator(
    at="internal",
    outputs="result0 result1 result2",
    undefined_gradients=True,
    differentiable="grad_out input mean rstd weight bias",
    saves="grad_out input mean normalized_shape rstd weight",
    joint=lambda grads, grad_out, input, weight, normalized_shape, _eps, _output_mask: layer_norm_again(
        grads, grad_out, input, weight, normalized_shape, _eps, _output_mask
    ),
)
def native_layer_norm_backward(
    grad_out: Any,
    input: Any,
    normalized_shape: Any,
    mean: Any,
    rstd: Any,
    weight: Any,
    bias: Any,
    _output_mask: Sequence[bool],
    _eps: float,
) -> Any:
    """``native_layer_norm``'s derivative as an operation of its own."""
    return in_operators(
        lambda *given: layer_norm_slopes([given[0]], *given[1:]),
        *(grad_out, input, weight, normalized_shape, _eps, _output_mask),
    )


def layer_norm_again(
    grads: Sequence[Any], grad_out: Tensor, input: Tensor, weight: Any, shape: Any, eps: float, mask: Sequence[bool]
) -> list[Any]:
    """What the gradients of a layer normalisation's gradients send back; its bias does not take part in them."""
    to_grad, to_input, to_weight = derived_again(
        lambda g, x, w: layer_norm_slopes([g], x, w, shape, eps, list(mask)), [grad_out, input, weight], grads
    )
    return [to_grad, to_input, None, None, to_weight, None]


def group_norm_in_steps(
    grads: list[Any],
    input: Tensor,
    weight: Tensor | None,
    result1: Tensor,
    result2: Tensor,
    sizes: tuple[int, int, int, int],
    eps: float,
    needs: Sequence[bool],
) -> list[Any]:
    """Gradients of input, weight and bias in the operators that PyTorch composes them of.

    Args:
        sizes: samples, channels, elements per channel, groups.
    """
    grad, grad_mean, grad_inverse = grads
    batch, channels, area, groups = sizes
    width = channels // groups
    seen = input.reshape(batch, groups, width, area)
    mean, inverse_std = result1.reshape(batch, groups, 1, 1), result2.reshape(batch, groups, 1, 1)
    along: Any = None
    if grad is not None:
        grad = grad.reshape(batch, groups, width, area)
        along, total = (grad * seen).sum(3).unsqueeze_(-1), grad.sum(3).unsqueeze_(-1)
    for_input: Any = None
    if needs[0]:
        gamma = None if weight is None else weight.reshape(1, groups, width, 1)
        cube = inverse_std * inverse_std * inverse_std
        through: Any = None
        if grad_mean is not None and grad_inverse is not None:
            spread = -0.5 * cube * grad_inverse.view(batch, groups, 1, 1)
            centre = grad_mean.view(batch, groups, 1, 1).expand(seen.shape) / (width * area)
            through = var_backward(spread, seen, (2, 3), 0, True) + centre
        if grad is not None:
            factor = inverse_std if gamma is None else inverse_std * gamma
            slope = (along if gamma is None else along * gamma).sum(2).unsqueeze_(-2)
            shift = (total if gamma is None else total * gamma).sum(2).unsqueeze_(-2)
            slope = (shift * mean - slope) * cube * (1 / (width * area))
            shift = -slope * mean - shift * inverse_std * (1 / (width * area))
            for_input = factor * grad + slope * seen + shift
        for_input = through if for_input is None else for_input if through is None else for_input + through
    return [
        None if for_input is None else for_input.reshape(input.shape),
        ((along - total * mean) * inverse_std).sum(0).reshape(channels) if needs[1] and grad is not None else None,
        total.sum(0).reshape(channels) if needs[2] and grad is not None else None,
    ]


def batch_norm_recorded(given: Any) -> Any:
    """Gradients of input, weight and bias by the one backward kernel; none where nothing came."""
    grads, input, weight, mean, inverse_std, running, training, eps, needs = given
    if grads[0] is None:
        return [None, None, None]
    return native_batch_norm_backward(grads[0], input, weight, *running, mean, inverse_std, training, eps, needs)


for forward in (native_batch_norm, with_running):
    recorded(
        forward,
        joint=lambda grads, input, weight, running_mean, running_var, result1, result2, training, eps, needs: (
            batch_norm_recorded(
                (grads, input, weight, result1, result2, (running_mean, running_var), training, eps, needs)
            )
        ),
    )
recorded(
    without_running,
    joint=lambda grads, input, weight, result1, result2, training, eps, needs: batch_norm_recorded(
        (grads, input, weight, result1, result2, (None, None), training, eps, needs)
    ),
)
recorded(
    native_layer_norm,
    joint=lambda grads, input, normalized_shape, result1, result2, weight, bias, _eps, needs: (
        [None, None, None]
        if grads[0] is None
        else native_layer_norm_backward(grads[0], input, normalized_shape, result1, result2, weight, bias, needs, _eps)
    ),
)
recorded(
    native_group_norm,
    joint=lambda grads, input, weight, result1, result2, N, C, HxW, group, eps, needs: group_norm_in_steps(
        grads, input, weight, result1, result2, (N, C, HxW, group), eps, needs
    ),
)
