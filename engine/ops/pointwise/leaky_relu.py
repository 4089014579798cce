"""Leaky relus: what is negative is multiplied by a slope that is given, learned (``prelu``) or drawn (``rrelu``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.autocast import lower_precision
from engine.ops.core.declare import composite, operator, pointwise
from engine.ops.core.inplace import InPlace
from engine.ops.core.refused_dtypes import floats_only
from engine.ops.core.signature import Number
from engine.ops.layout.copies import blank
from engine.ops.pointwise.activations import IN_PLACE_NEGATIVE, activation, backward_operator
from engine.ops.pointwise.precision import in_float
from engine.ops.random.state import source
from engine.ops.selection.masks import where
from engine.tensor import Tensor, wrap

leaky_relu_backward = backward_operator(
    "leaky_relu_backward", lambda x, negative_slope: np.where(x > 0, 1, negative_slope)
)

rrelu_backward = backward_operator(
    "rrelu_with_noise_backward",
    lambda x, noise, lower, upper, training: (
        noise if training and upper - lower > 1e-6 else np.where(x > 0, 1, (lower + upper) / 2)
    ),
)


def leaky(x: Any, negative_slope: Any) -> Any:
    """x, or the slope times x where it is not positive."""
    return in_float(lambda wide: np.where(wide > 0, wide, wide * wide.dtype.type(negative_slope))[()], x)


def leaky_relu_result_backward(grad: Any, result: Any, negative_slope: float) -> Any:
    """`leaky_relu_backward`, told by the result.

    Raises:
        RuntimeError: a negative slope turns negative numbers positive, so the result does not tell where it came from.
    """
    if negative_slope < 0:
        raise RuntimeError(IN_PLACE_NEGATIVE.format("leakyReLu"))
    return leaky_relu_backward(grad, result, negative_slope)


@pointwise(
    formula="x if x > 0 else s·x",
    at="internal",
    needs_tensors="self",
    inplace=False,
    saves="negative_slope self",
    self=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope),
)
def leaky_relu(self: Any, negative_slope: Number = 0.01) -> Any:
    """Like relu, but what is negative is multiplied by a small slope instead of dropped, and its gradient too."""
    floats_only(self, "leaky_relu_cpu")
    return leaky(self, negative_slope)


@operator(
    formula="x if x > 0 else s·x",
    at="internal",
    needs_tensors="self",
    name="leaky_relu",
    grad_fn="LeakyReluBackward1",
    saves="negative_slope result",
    self=lambda grad, result, negative_slope: leaky_relu_result_backward(grad, result, negative_slope),
)
def leaky_relu_in_place(self: Any, negative_slope: Number = 0.01) -> Any:
    """Like relu, but what is negative is multiplied by a small slope instead of dropped, and its gradient too."""
    return leaky(self, negative_slope)


def prelu_double_backward(grads: Any, grad_output: Tensor, self: Tensor, weight: Tensor) -> Any:
    """Of the two gradients that prelu's backward gave, back to what they were made of."""
    of_self, of_weight = grads
    positive = self >= 0
    if of_weight is None:
        return where(positive, of_self, of_self * weight), blank(self), where(positive, 0, grad_output * of_self)
    through = of_weight * self if of_self is None else of_self * weight + of_weight * self
    passed = where(positive, 0 if of_self is None else of_self, through)
    bent = blank(weight) if of_self is None else where(positive, 0, grad_output * of_self)
    return passed, where(positive, 0, grad_output * of_weight), bent


@operator(
    name="_prelu_kernel_backward",
    grad_fn="PreluKernelBackwardBackward0",
    at="internal",
    outputs="tuple",
    undefined_gradients=True,
    differentiable="grad_output self weight",
    joint=lambda grads, grad_output, self, weight: prelu_double_backward(grads, grad_output, self, weight),
)
def prelu_kernel_backward(grad_output: Any, self: Any, weight: Any) -> Any:
    """``_prelu_kernel``'s derivative as an operation of its own."""
    positive = self > 0
    zero = grad_output.dtype.type(0)
    return np.where(positive, grad_output, weight * grad_output)[()], np.where(positive, zero, self * grad_output)[()]


@operator(
    formula="x if x > 0 else w·x",
    name="_prelu_kernel",
    grad_fn="PreluKernelBackward0",
    at="internal",
    differentiable="self weight",
    joint=lambda grad, self, weight: prelu_kernel_backward(grad, self, weight),
)
def prelu_kernel(self: Any, weight: Any) -> Any:
    """Like leaky relu, with a slope that is learned; it gets x times the gradient wherever x is negative."""
    return np.where(self > 0, self, weight * self)[()]


prelu_kernel.derives_in_float = True


@composite(at="torch tensor functional")
@lower_precision
def prelu(self: Tensor, weight: Tensor) -> Tensor:
    """Leaky relu with a learned slope, one for all or one per channel (dimension 1).

    Raises:
        RuntimeError: the number of slopes is neither 1 nor that of the channels.
    """
    if self.dtype is not weight.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {scalar_type(self)} and {scalar_type(weight)}")
    if weight._array.size != 1:
        if not self.ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = self.shape[1] if self.ndim >= 2 else 1
        if channels != weight._array.size:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight._array.size} and channel size = {channels}."
            )
    if weight.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}")
    if self.ndim != weight.ndim:
        shape = [1] * self.ndim
        if self.ndim > 1:
            shape[1] = weight._array.size
        weight = weight.reshape(shape)
    return prelu_kernel(self, weight)


@operator(
    order="rows",
    formula="x if x ≥ 0 else r·x",
    at="internal",
    saves="lower noise self training upper",
    self=lambda grad, self, noise, lower, upper, training: rrelu_backward(grad, self, noise, lower, upper, training),
)
def rrelu_with_noise(self: Any, noise: Any, lower: float, upper: float, training: bool) -> Any:
    """Leaky relu whose slope is drawn at random for each element while training; the gradient is multiplied by the
    slope that was drawn.
    """
    return bent_by_noise(self, noise, lower, upper, training)


@operator(
    formula="x if x ≥ 0 else r·x",
    at="internal",
    name="rrelu_with_noise",
    grad_fn="RreluWithNoiseBackward1",
    saves="lower noise result training upper",
    self=lambda grad, result, noise, lower, upper, training: rrelu_result_backward(
        grad, result, noise, lower, upper, training
    ),
)
def rrelu_in_place(self: Any, noise: Any, lower: float, upper: float, training: bool) -> Any:
    """Leaky relu whose slope is drawn at random for each element while training; the gradient is multiplied by the
    slope that was drawn.
    """
    return bent_by_noise(self, noise, lower, upper, training)


def bent_by_noise(x: Any, noise: Any, lower: float, upper: float, training: bool) -> Any:
    """x times its drawn slope, or times the middle of the bounds where it is negative."""
    return x * noise if training else np.where(x > 0, x, x * x.dtype.type((lower + upper) / 2))[()]


def rrelu_result_backward(
    grad: Tensor, result: Tensor, noise: Tensor, lower: float, upper: float, training: bool
) -> Tensor:
    """As `rrelu_backward`, told by the result.

    Raises:
        RuntimeError: a negative middle of the bounds turns negative numbers positive.
    """
    if not (training and upper - lower > 1e-6) and lower + upper < 0:
        raise RuntimeError(IN_PLACE_NEGATIVE.format("leakyReLu"))
    return rrelu_backward(grad, result, noise, lower, upper, training)


def drawn_slopes(array: Any, lower: float, upper: float) -> Any:
    """A slope for every element that is not positive, drawn in order; one for the others."""
    slopes = np.ones_like(array)
    negative = array <= 0
    units = source(None, "rrelu").units_float64(int(np.count_nonzero(negative)))
    low, high = (np.float64(array.dtype.type(bound)) for bound in (lower, upper))
    slopes[negative] = units * (high - low) + low  # bounds rounded to the dtype, the rest in float64, as PyTorch does
    return slopes


@composite(at="functional torch")
def rrelu(
    self: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """Leaky relu with a random slope between ``lower`` and ``upper`` while training, else their middle.

    Raises:
        RuntimeError: the bounds are the wrong way round.
    """
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    noise = wrap(drawn_slopes(self._array, lower, upper) if training else np.empty_like(self._array))
    return (InPlace(rrelu_in_place) if inplace else rrelu_with_noise)(self, noise, lower, upper, training)


@composite(at="functional torch")
def rrelu_(self: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """Like ``rrelu``, writing the result into ``self``."""
    return rrelu(self, lower, upper, training, inplace=True)


activation("leaky_relu", leaky_relu, leaky_relu_in_place)
