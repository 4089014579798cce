"""Activation functions with corners: straight pieces joined together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.autocast import lower_precision
from engine.ops.core.declare import composite, operator, pointwise
from engine.ops.core.inplace import InPlace
from engine.ops.core.operator import Operator
from engine.ops.core.parameters import parameters_of
from engine.ops.core.refused_dtypes import floats_only
from engine.ops.core.signature import Number
from engine.ops.core.unimplemented import unimplemented
from engine.ops.layout.copies import blank
from engine.ops.pointwise.flat import zeros
from engine.ops.pointwise.no_order import forbid_complex
from engine.ops.pointwise.precision import in_float, is_half
from engine.ops.selection.masks import where
from engine.tensor import Tensor


def within(x: Any, bound: float) -> Any:
    """Where ``|x|`` is at most a bound, which is rounded to the dtype of x."""
    bound = x.dtype.type(bound)
    return (x >= -bound) & (x <= bound)


def passed(grad: Any, local: Any) -> Any:
    """The gradient times the local slope, nothing at all where that is zero."""
    return np.where(local == 0, grad.dtype.type(0), grad * local.astype(grad.dtype))[()]


def backward_operator(name: str, slope: Callable[..., Any]) -> Operator:
    """The backward of an activation made of straight pieces, as an operator of its own, like PyTorch's.

    ``slope(x, *parameters)`` is the local slope on arrays. Linear in the gradient, it is its own derivative;
    x moves between pieces only at the corners, so x's second derivative is zero.
    """
    parameters = parameters_of(slope).names[1:]
    rest = "".join(f", {p}" for p in parameters)

    def kernel(grad_output: Any, self: Any, *values: Any) -> Any:
        local = slope(self, *values)
        return in_float(lambda grad: passed(grad, local), grad_output)

    made: list[Operator] = []
    # Names come from our own declarations only.
    spelled = eval(f"lambda kernel: lambda grad_output, self{rest}: kernel(grad_output, self{rest})")(kernel)
    again = eval(f"lambda made: lambda grad, self{rest}: made[0](grad, self{rest})")(made)
    made.append(operator(at="internal", name=name, grad_output=again, self=lambda self: zeros(self))(spelled))
    return made[0]


threshold_backward = backward_operator("threshold_backward", lambda x, threshold: ~(x <= threshold))
hardtanh_backward = backward_operator(
    "hardtanh_backward", lambda x, min_val, max_val: ~((x <= min_val) | (x >= max_val))
)
leaky_relu_backward = backward_operator(
    "leaky_relu_backward", lambda x, negative_slope: np.where(x > 0, 1, negative_slope)
)
rrelu_backward = backward_operator(
    "rrelu_with_noise_backward",
    lambda x, noise, lower, upper, training: (
        noise if training and upper - lower > 1e-6 else np.where(x > 0, 1, (lower + upper) / 2)
    ),
)


@operator(
    at="internal",
    name="hardsigmoid_backward",
    grad_fn="NotImplemented",
    **unimplemented("hardsigmoid_backward", "grad_output self"),
)
def hardsigmoid_backward(grad_output: Any, self: Any) -> Any:
    """A sixth between the corners. PyTorch gives it no derivative of its own."""
    return in_float(
        lambda grad, x: np.where((x > -3) & (x < 3), grad * grad.dtype.type(1 / 6), grad.dtype.type(0))[()],
        grad_output,
        self,
    )


hardshrink_backward = backward_operator("hardshrink_backward", lambda x, lambd: ~within(x, lambd))
softshrink_backward = backward_operator("softshrink_backward", lambda x, lambd: ~within(x, lambd))


@pointwise(formula="max(x, 0)", self=lambda grad, result: threshold_backward(grad, result, 0))
def relu(self: Any) -> Any:
    """Keeps what is positive; where the input was not, the gradient stops.

    Raises:
        RuntimeError: booleans.
        NotImplementedError: complex numbers.
    """
    if self.dtype.kind in "bc":
        forbid_complex(self, "clamp")
        raise RuntimeError("Boolean inputs not supported for relu")
    return np.maximum(self.dtype.type(0), self)  # of equal numbers the second is taken: −0 stays −0


@pointwise(
    formula="min(max(x, low), high)",
    at="internal",
    needs_tensors="self",
    saves="max_val min_val self",
    self=lambda grad, self, min_val, max_val: hardtanh_backward(grad, self, min_val, max_val),
)
def hardtanh(self: Any, min_val: Number = -1.0, max_val: Number = 1.0) -> Any:
    """Keeps x within two bounds; on a bound and outside the gradient stops.

    Raises:
        ValueError: the bounds are the wrong way round.
        RuntimeError: for booleans.
        NotImplementedError: for complex numbers.
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if self.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    forbid_complex(self, "clamp")
    return np.minimum(self.dtype.type(max_val), np.maximum(self.dtype.type(min_val), self))


IN_PLACE_NEGATIVE = (
    "In-place {} backward calculation is triggered with a negative slope which is not supported. This is caused by calling in-place "
    "forward function with a negative slope, please call out-of-place version instead."
)


def leaky(x: Any, negative_slope: Any) -> Any:
    """x, or the slope times x where it is not positive."""
    return in_float(lambda wide: np.where(wide > 0, wide, wide * wide.dtype.type(negative_slope))[()], x)


def leaky_relu_result_backward(grad: Any, result: Any, negative_slope: float) -> Any:
    """The same, told by the result.

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


def real_number(value: Any) -> Any:
    """A complex number that is none, as the real number it is."""
    return value.real if isinstance(value, complex) or getattr(value, "dtype", np.dtype(float)).kind == "c" else value


@pointwise(
    formula="x if x > t else v",
    at="functional",
    inplace=False,
    saves="self threshold",
    self=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
)
def threshold(self: Any, threshold: Number, value: Number) -> Any:
    """Replaces what is not above the threshold; there the gradient stops."""
    return np.where(self <= real_number(threshold), self.dtype.type(real_number(value)), self)[()]


threshold_in_place = operator(
    formula="x if x > t else v",
    at="internal",
    name="threshold",
    grad_fn="ThresholdBackward1",
    saves="self threshold",
    self=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
)(threshold.definition)
"""The same in place, where PyTorch's node has a name of its own."""


@pointwise(
    formula="min(max(x + 3, 0), 6) / 6",
    at="internal",
    needs_tensors="self",
    self=lambda grad, self: hardsigmoid_backward(grad, self),
)
def hardsigmoid(self: Any) -> Any:
    """A sigmoid of three straight pieces; its slope is a sixth between −3 and 3, and zero beyond."""
    floats_only(self, "hardsigmoid_cpu")
    return in_float(lambda x: np.minimum(np.maximum(x + x.dtype.type(3), 0), 6).astype(x.dtype) / x.dtype.type(6), self)


@pointwise(
    formula="x · min(max(x + 3, 0), 6) / 6",
    at="internal",
    needs_tensors="self",
    self=lambda grad, self: where(self <= -3, 0, where(self < 3, grad * (self / 3 + 0.5), grad)),
)
def hardswish(self: Any) -> Any:
    """Gives x times a sigmoid of straight pieces; zero below −3 and x above 3, and so are its slopes, zero and one."""
    floats_only(self, "hardswish_cpu")
    return in_float(
        lambda x: x * np.minimum(np.maximum(x + x.dtype.type(3), 0), 6).astype(x.dtype) / x.dtype.type(6), self
    )


@pointwise(
    formula="x if |x| > λ else 0",
    at="torch tensor functional",
    inplace=False,
    saves="lambd self",
    self=lambda grad, self, lambd: hardshrink_backward(grad, self, lambd),
)
def hardshrink(self: Any, lambd: Number = 0.5) -> Any:
    """Sets numbers of at most λ in size to zero, and stops their gradient."""
    floats_only(self, "hardshrink_cpu")
    return np.where(within(self, lambd), self.dtype.type(0), self)[()]


@pointwise(
    formula="x − λ·sign x if |x| > λ else 0",
    at="functional",
    inplace=False,
    saves="lambd self",
    self=lambda grad, self, lambd: softshrink_backward(grad, self, lambd),
)
def softshrink(self: Any, lambd: Number = 0.5) -> Any:
    """Pulls every number toward zero by λ; what ends there gets no gradient.

    Raises:
        RuntimeError: for a negative λ.
    """
    floats_only(self, "softshrink_check")
    if lambd < 0:
        raise RuntimeError(
            f"lambda must be in range [0, {np.finfo(np.float32).max:g}] for input dtype Float, but found {lambd:g}"
        )

    def compute(x: Any) -> Any:
        near, flat = x.dtype.type(lambd), x.dtype.type(0) if is_half(self) else x * x.dtype.type(0)
        return np.where(x > near, x - near, np.where(x < -near, x + near, flat))[()]

    return in_float(compute, self)


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


def activation(name: str, plain: Any, in_place: Any = None, methods: str = "functional", before: int = 0) -> None:
    """Publishes ``F.<name>(…, inplace=False)`` and ``F.<name>_`` of an operator.

    Args:
        before: how many of the operator's parameters come before ``inplace``; all of them by default.
    """
    twin = InPlace(in_place or plain)

    def call(*args: Any, **kwargs: Any) -> Tensor:
        writes = kwargs.pop("inplace", False)
        if len(args) > (before or plain.signature.count):
            *args_, writes = args
            args = tuple(args_)
        return (twin if writes else plain)(*args, **kwargs)

    call.__doc__ = plain.__doc__
    composite(at="functional", name=name)(call)
    composite(at=methods, name=f"{name}_")(lambda *args, **kwargs: twin(*args, **kwargs))


@composite(at="functional")
def relu6(self: Tensor, inplace: bool = False) -> Tensor:
    """Keeps x between 0 and 6."""
    return (InPlace(hardtanh) if inplace else hardtanh)(self, 0, 6)


@composite(at="functional")
def softsign(self: Tensor) -> Tensor:
    """``x / (1 + |x|)``: like tanh, but slower to flatten out."""
    return self / (self.abs() + 1)


@composite(at="functional")
def tanhshrink(self: Tensor) -> Tensor:
    """``x − tanh x``: nearly zero in the middle."""
    return self - self.tanh()


activation("relu", relu, methods="functional")
activation("hardtanh", hardtanh)
activation("leaky_relu", leaky_relu, leaky_relu_in_place)
activation("threshold", threshold, threshold_in_place, methods="functional torch")
activation("hardsigmoid", hardsigmoid)
activation("hardswish", hardswish)
composite(at="torch", name="threshold")(lambda *args, **kwargs: threshold(*args, **kwargs))
