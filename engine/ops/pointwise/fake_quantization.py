"""Fake quantization: floats rounded to the grid of a quantized type and back, so that training feels the rounding.

Its derivative looks through the rounding: one inside the grid, zero where a value was cut off (the straight-through estimator).
PyTorch's nodes are named after functions that also return where nothing was cut off, the ``mask`` that they save.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import wrapped
from engine.tensor import Tensor


def check_range(quant_min: int, quant_max: int, zero_point: Any) -> None:
    """Raises RuntimeError: bounds the wrong way round, or a zero outside of them."""
    if quant_min > quant_max:
        raise RuntimeError("`quant_min` should be less than or         equal to `quant_max`.")
    if not (quant_min <= np.min(zero_point) and np.max(zero_point) <= quant_max):
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")


def on_grid(array: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int) -> tuple[Any, Any]:
    """The nearest numbers of the grid, and where that is no end of it.

    Raises:
        NotImplementedError: no floats.
    """
    if array.dtype.kind not in "fV":
        raise NotImplementedError(
            f"\"fake_quantize_tensor_cachemask_kernel_type_handling\" not implemented for '{scalar_type(array)}'"
        )
    scale = np.asarray(scale, np.float32)
    with np.errstate(all="ignore"):
        steps = np.asarray(array, np.promote_types(np.float32, array.dtype) if array.dtype.kind == "f" else np.float32)
        steps = steps * (np.float32(1) / scale)
        # A zero between two whole numbers is part of what is rounded
        place = np.rint(steps + zero_point) if np.asarray(zero_point).dtype.kind == "f" else np.rint(steps) + zero_point
        place = np.where(np.isnan(place), -np.inf, place)  # what C++ makes of it as a whole number
        inside = (place >= quant_min) & (place <= quant_max)
        values = (np.clip(place, quant_min, quant_max) - zero_point).astype(np.float32) * scale
    return values.astype(array.dtype), inside


@operator(
    formula="(clamp(round(x / s) + z) − z) · s",
    at="internal",
    outputs="output mask",
    nondifferentiable=(1,),
    saves="mask",
    self=lambda grads, mask: grads[0] * mask,
)
def fake_quantize_per_tensor_affine_cachemask(
    self: Any, scale: float, zero_point: int, quant_min: int, quant_max: int
) -> Any:
    """Rounds to one grid for all elements; its slope is one, and zero where the grid ends before the value."""
    check_range(quant_min, quant_max, zero_point)
    return on_grid(self, scale, zero_point, quant_min, quant_max)


@operator(
    formula="(clamp(round(x / s) + z) − z) · s",
    at="internal",
    name="fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
    outputs="output mask",
    nondifferentiable=(1,),
    saves="mask",
    self=lambda grads, mask: grads[0] * mask,
)
def fake_quantize_by_tensors(self: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int) -> Any:
    """Rounds to one grid for all elements; its slope is one, and zero where the grid ends before the value."""
    return on_grid(self, scale.reshape(()), zero_point.reshape(()), quant_min, quant_max)


@composite(at="torch")
def fake_quantize_per_tensor_affine(
    input: Tensor, scale: Any, zero_point: Any, quant_min: int, quant_max: int
) -> Tensor:
    """Rounds to the grid ``(n − zero_point) · scale``, whole numbers n from ``quant_min`` to ``quant_max``.

    Raises:
        RuntimeError: bounds the wrong way round, or a zero point outside of them.
        NotImplementedError: no floats.
    """
    if not isinstance(zero_point, Tensor):
        return fake_quantize_per_tensor_affine_cachemask(input, float(scale), zero_point, quant_min, quant_max)[0]
    for given in (scale, zero_point):
        if given.numel() != 1:
            raise RuntimeError(f"a Tensor with {given.numel()} elements cannot be converted to Scalar")
    refuse_gradient_of_scale(scale, "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams")
    return fake_quantize_by_tensors(input, scale, zero_point, quant_min, quant_max)[0]


@operator(
    formula="(clamp(round(x / s) + z) − z) · s",
    at="internal",
    outputs="output mask",
    nondifferentiable=(1,),
    saves="mask",
    self=lambda grads, mask: grads[0] * mask,
)
def fake_quantize_per_channel_affine_cachemask(
    self: Any, scale: Any, zero_point: Any, axis: int, quant_min: int, quant_max: int
) -> Any:
    """Rounds each channel to a grid of its own; its slope is one, and zero where the grid ends before the value."""
    shape = [len(scale) if dim == axis else 1 for dim in range(self.ndim)]
    return on_grid(self, scale.reshape(shape), zero_point.reshape(shape), quant_min, quant_max)


@composite(at="torch")
def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Tensor:
    """The same with a grid per index of dimension ``axis``.

    Raises:
        RuntimeError: scales and zero points that do not fit the channels or have other dtypes than they may, bounds the wrong
            way round, or a zero point outside of them.
        NotImplementedError: no floats.
        IndexError: no such dimension.
    """
    if scale._array.dtype.name not in ("float32", "bfloat16"):
        raise RuntimeError(f"Scale must be Float or BFloat16, found {scalar_type(scale._array)}")
    if zero_point._array.dtype.name not in ("int32", "float32", "float16"):
        raise RuntimeError(f"Zero-point must be Int32, Float or Half, found {scalar_type(zero_point._array)}")
    for named, given in (("scale", scale), ("zero point", zero_point)):
        if given.dim() != 1:
            raise RuntimeError(f"{named} should be a 1-D tensor")
    if scale.shape != zero_point.shape:
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    if scale.numel() != input.shape[wrapped(axis, input.dim())]:
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
    check_range(quant_min, quant_max, zero_point._array)
    if axis < 0:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    refuse_gradient_of_scale(scale, "fake_quantize_per_channel_affine_cachemask")
    return fake_quantize_per_channel_affine_cachemask(input, scale, zero_point, axis, quant_min, quant_max)[0]


def refuse_gradient_of_scale(scale: Tensor, function: str) -> None:
    """Raises RuntimeError: a scale that requires grad, which the learnable kinds of fake quantization are for."""
    if scale.requires_grad:
        raise RuntimeError(
            f"The function '{function}' is not differentiable with respect to argument 'scale'. This input cannot have "
            "requires_grad True."
        )
