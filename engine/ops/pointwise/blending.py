"""Points in between, and sums with a product or a quotient: what PyTorch computes in one fused step."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import c_type, scalar_type
from engine.ops.core.declare import overloaded, pointwise
from engine.ops.core.promotion import result_type
from engine.ops.core.signature import Number
from engine.ops.pointwise.precision import fused, in_float
from engine.tensor import Tensor


def blend(start: Any, end: Any, weight: Any) -> Any:
    """From whichever end is nearer, as PyTorch rounds.

    Raises:
        NotImplementedError: for whole numbers.
    """
    if start.dtype.kind not in "fcV":
        kernel = "lerp_kernel_tensor" if hasattr(weight, "dtype") else "lerp_kernel_scalar"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_type(start)}'")
    return in_float(between, start, end, weight)


def between(start: Any, end: Any, weight: Any) -> Any:
    """`blend` in the arrays' own precision."""
    if not hasattr(weight, "dtype") and start.dtype.kind == "f":
        weight = start.dtype.type(weight)
    distance, near_start = end - start, np.abs(weight) < 0.5
    if np.ndim(weight):
        coefficient, base = np.where(near_start, weight, weight - 1), np.where(near_start, start, end)
    else:
        coefficient, base = (weight, start) if near_start else (weight - 1, end)
    return fused(coefficient, distance, base).astype(start.dtype)[()]


def same_dtype(**tensors: Any) -> None:
    """Blends do not promote.

    Raises:
        RuntimeError: dtypes differ.
    """
    first, *rest = tensors
    for name in rest:
        if hasattr(tensors[name], "dtype") and tensors[name].dtype != tensors[first].dtype:
            raise RuntimeError(
                f"expected dtype {c_type(tensors[first])} for `{name}` but got dtype {c_type(tensors[name])}"
            )


@pointwise(
    formula="x + w·(y − x)",
    name="lerp",
    at="internal",
    promotes="",
    self=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
)
def lerp_number(self: Any, end: Any, weight: Any) -> Any:
    """A point between two; each end gets its share of the gradient."""
    same_dtype(self=self, end=end)
    return blend(self, end, weight)


@pointwise(
    formula="x + w·(y − x)",
    name="lerp",
    grad_fn="LerpBackward1",
    at="internal",
    promotes="",
    self=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
    weight=lambda grad, end, self: grad * (end - self),
)
def lerp_tensor(self: Any, end: Any, weight: Any) -> Any:
    """A point between two, each with its own weight; the weight's slope is the distance between the ends."""
    same_dtype(self=self, end=end, weight=weight)
    return blend(self, end, weight)


@overloaded(inplace=True)
def lerp(self: Any, end: Any, weight: Any) -> Any:
    """The point ``weight`` of the way from ``self`` to ``end``."""
    return (lerp_tensor if isinstance(weight, Tensor) else lerp_number), self, end, weight


@pointwise(
    formula="x + c·a·b",
    promotes="self tensor1 tensor2",
    needs_tensors="tensor1 tensor2",
    saves="tensor1 tensor2 value",
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
    tensor2=lambda grad, tensor1, value: grad * (tensor1 * value),
)
def addcmul(self: Any, tensor1: Any, tensor2: Any, *, value: Number = 1) -> Any:
    """Adds a product; each factor's slope is the other factor (times ``value``)."""
    fits_whole(self, value)
    return in_float(lambda x, a, b: fused(a if value == 1 else a.dtype.type(value) * a, b, x), self, tensor1, tensor2)


@pointwise(
    formula="x + c·a / b",
    promotes="self tensor1 tensor2",
    needs_tensors="tensor1 tensor2",
    saves="tensor1 tensor2 value",
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
    tensor2=lambda grad, tensor1, tensor2, value: -grad * (value * tensor1 / (tensor2 * tensor2)),
)
def addcdiv(self: Any, tensor1: Any, tensor2: Any, *, value: Number = 1) -> Any:
    """Adds a quotient; its parts get what a division's get (times ``value``).

    Raises:
        RuntimeError: for whole numbers only.
    """
    if result_type([tensor1, tensor2]).category < 2:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of "
            "tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / "
            "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
            "addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes."
        )
    return in_float(lambda x, a, b: x + value * a / b, self, tensor1, tensor2)


def fits_whole(array: Any, value: Any) -> None:
    """Whole numbers take no fractional factor.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if array.dtype.kind in "iu" and isinstance(value, float):
        raise RuntimeError("For integral input tensors, argument value must not be a floating point number.")
