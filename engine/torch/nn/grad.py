"""``torch.nn.grad``: what a convolution's input and weight get of a gradient, computed without recording the convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.ops.neural.convolution_backward import convolution_backward
from engine.tensor import Tensor
from engine.torch.missing import module_getattr


def each(setting: Any, dims: int) -> list[int]:
    """One number for every dimension."""
    return [setting] * dims if isinstance(setting, int) else list(setting)


def of(
    place: int, dims: int, input: Tensor, weight: Tensor, grad_output: Tensor, options: Sequence[Any], groups: int
) -> Any:
    """The gradient of the input (``place`` 0) or of the weight (1) of a convolution over ``dims`` dimensions."""
    needs = [place == 0, place == 1, False]
    steps = [each(setting, dims) for setting in options]
    return convolution_backward(grad_output, input, weight, None, *steps, False, [0] * dims, groups, needs)[place]


def of_input(dims: int) -> Any:
    """``conv<dims>d_input``."""

    def gradient(
        input_size: Sequence[int],
        weight: Tensor,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        """The gradient of the input of shape ``input_size``."""
        shaped = grad_output.new_empty(1).expand(input_size)
        return of(0, dims, shaped, weight, grad_output, (stride, padding, dilation), groups)

    gradient.__name__ = gradient.__qualname__ = f"conv{dims}d_input"
    return gradient


def of_weight(dims: int) -> Any:
    """``conv<dims>d_weight``."""

    def gradient(
        input: Tensor,
        weight_size: Sequence[int],
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        """The gradient of the weight of shape ``weight_size``."""
        shaped = grad_output.new_empty(1).expand(weight_size)
        return of(1, dims, input, shaped, grad_output, (stride, padding, dilation), groups)

    gradient.__name__ = gradient.__qualname__ = f"conv{dims}d_weight"
    return gradient


conv1d_input, conv2d_input, conv3d_input = map(of_input, (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = map(of_weight, (1, 2, 3))

__getattr__ = module_getattr("torch.nn.grad", globals())
