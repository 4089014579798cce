"""Activation functions with corners: straight pieces joined together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator, pointwise
from engine.ops.core.functions import in_place_on_demand
from engine.ops.core.inplace import InPlace
from engine.ops.core.operator import Operator
from engine.ops.core.parameters import parameters_of
from engine.ops.core.refused_dtypes import floats_only
from engine.ops.core.signature import Number
from engine.ops.core.unimplemented import unimplemented
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


def activation(name: str, plain: Any, in_place: Any = None, methods: str = "functional", before: int = 0) -> None:
    """Publishes ``F.<name>(…, inplace=False)`` and ``F.<name>_`` of an operator.

    Args:
        before: how many of the operator's parameters come before ``inplace``; all of them by default.
    """
    twin = InPlace(in_place or plain)
    composite(at="functional", name=name)(in_place_on_demand(name, plain, twin, before or plain.signature.count))
    composite(at=methods, name=f"{name}_", parsed=True)(lambda *args, **kwargs: twin(*args, **kwargs))


@composite(at="functional")
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Keeps x between 0 and 6."""
    return (InPlace(hardtanh) if inplace else hardtanh)(input, 0, 6)


@composite(at="functional")
def softsign(input: Tensor) -> Tensor:
    """``x / (1 + |x|)``: like tanh, but slower to flatten out."""
    return input / (input.abs() + 1)


@composite(at="functional")
def tanhshrink(input: Tensor) -> Tensor:
    """``x − tanh x``: nearly zero in the middle."""
    return input - input.tanh()


activation("relu", relu, methods="functional")
activation("hardtanh", hardtanh)
activation("threshold", threshold, threshold_in_place, methods="functional torch")
activation("hardsigmoid", hardsigmoid)
activation("hardswish", hardswish)
composite(at="torch", name="threshold")(lambda *args, **kwargs: threshold(*args, **kwargs))
