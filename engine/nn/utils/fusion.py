"""Batch norm folded into the layer before it, for inference."""

from __future__ import annotations

import copy
from typing import Any

from engine.tensor import Parameter, Tensor


def fuse_conv_bn_weights(
    conv_w: Any, conv_b: Any, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Any, bn_b: Any, transpose: bool = False
) -> tuple[Parameter, Parameter]:
    """Weight and bias of a convolution that does the batch norm too."""
    bias = bn_rm.new_zeros(bn_rm.shape) if conv_b is None else conv_b
    scale = (bn_rv + bn_eps).rsqrt() * (1 if bn_w is None else bn_w)
    shape = [1, -1] if transpose else [-1, 1]
    weight = conv_w * scale.reshape(shape + [1] * (conv_w.ndim - 2))
    shift = (bias - bn_rm) * scale + (0 if bn_b is None else bn_b)
    return Parameter(weight.detach(), conv_w.requires_grad), Parameter(shift.detach(), bias.requires_grad)


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Any, bn_b: Any
) -> tuple[Parameter, Parameter]:
    """Weight and bias of a linear layer that does the batch norm too."""
    bias = bn_rm.new_zeros(bn_rm.shape) if linear_b is None else linear_b
    scale = bn_w * (bn_rv + bn_eps).rsqrt()
    weight, shift = linear_w * scale.unsqueeze(-1), (bias - bn_rm) * scale + bn_b
    return Parameter(weight.detach(), linear_w.requires_grad), Parameter(shift.detach(), bias.requires_grad)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A copy of the linear layer with the batch norm folded in; both must be in evaluation mode.

    Raises:
        AssertionError: in training, or of other sizes than fit.
    """
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A copy of the convolution with the batch norm folded in; both must be in evaluation mode.

    Raises:
        AssertionError: in training.
    """
    if conv.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused
