"""Softmax and its logarithm."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.dtype_names import scalar_type
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import wrapped
from engine.ops.core.on_arrays import takes_arrays
from engine.ops.pointwise.precision import fused, in_double, in_float, is_half
from engine.ops.pointwise.vector_exp import vector_exp
from engine.ops.pointwise.vector_log import vector_log
from engine.summation import LANES, in_turn, lanes_summed
from engine.tensor import Tensor


def softmax_kernel(x: Any, dim: int) -> Any:
    """Shifted by the maximum, so that nothing overflows; the last dimension multiplies where the others divide."""
    powers = exponentials(x - np.max(x, axis=dim, keepdims=True, initial=-np.inf), dim)
    total = exponentials_summed(powers, dim)
    return powers * (x.dtype.type(1) / total) if dim == x.ndim - 1 else powers / total


def log_softmax_kernel(x: Any, dim: int) -> Any:
    """``x − max − ln Σ e^(x − max)``, in PyTorch's order."""
    shifted = x - np.max(x, axis=dim, keepdims=True, initial=-np.inf)
    total = exponentials_summed(exponentials(shifted, dim), dim)
    return shifted - (vector_log(total) if dim == x.ndim - 1 and x.size else in_double(np.log, total))


def exponentials(x: Any, dim: int) -> Any:
    """``eˣ`` as the kernels along ``dim`` take it: places behind it in whole vectors, those left over one by one, rightly rounded."""
    inner = math.prod(x.shape[dim + 1 :])
    rest = inner % LANES["f4"] if x.dtype == np.float32 and dim != x.ndim - 1 else 0
    if not rest:
        return vector_exp(x)
    places = x.reshape(-1, inner)
    powers = np.concatenate([vector_exp(places[:, :-rest]), in_double(np.exp, places[:, -rest:])], axis=1)
    return powers.reshape(x.shape)


def exponentials_summed(powers: Any, dim: int) -> Any:
    """The sum along one dimension in the order in which PyTorch's kernels add."""
    if not powers.size:
        return np.sum(powers, axis=dim, keepdims=True)
    if dim == powers.ndim - 1:
        total = lanes_summed(powers.reshape(-1, powers.shape[-1])).reshape(powers.shape[:-1])
    else:
        total = in_turn(np.moveaxis(powers, dim, 0))
    return np.expand_dims(total, dim)


def log_softmax_of_halves(array: Any) -> Any:
    """Along the last dimension; of halves the sum and its logarithm are kept as halves."""
    x = array.astype(np.float32)
    shifted = x - np.max(x, axis=-1, keepdims=True, initial=-np.inf)
    total = exponentials_summed(vector_exp(shifted), x.ndim - 1).astype(array.dtype)
    return (shifted - in_double(np.log, total).astype(np.float32)).astype(array.dtype)


def products_summed(a: Any, b: Any) -> Any:
    """``Σ a · b`` of each row: products add up over eight lanes, those that fill no vector are fused with the addition."""
    width, count = LANES["f4"], a.shape[1]
    whole = count - count % width
    products = a * b
    if whole in (0, count):
        return exponentials_summed(products, 1)
    lanes = products[:, :width].copy()
    for start in range(width, whole, width):
        lanes += products[:, start : start + width]
    lanes[:, : count - whole] = fused(a[:, whole:], b[:, whole:], lanes[:, : count - whole])
    return exponentials_summed(lanes, 1)


@takes_arrays
def softmax_rounded(grad: Any, result: Any, dim: int) -> Any:
    """``(grad − Σ grad · y) · y``."""
    axis = dim % max(result.ndim, 1)
    if not result.ndim or not result.size or result.dtype != np.float32:
        return (grad - np.sum(grad * result, axis=axis if result.ndim else None, keepdims=True)) * result
    length = result.shape[axis]
    if axis == result.ndim - 1:
        total = products_summed(grad.reshape(-1, length), result.reshape(-1, length)).reshape(*result.shape[:-1], 1)
    else:
        total = np.zeros_like(result.take([0], axis))
        for place in range(length):
            total = fused(grad.take([place], axis), result.take([place], axis), total)
    return (grad - total) * result


def along(kernel: Any, array: Any, dim: int) -> Any:
    """The kernel along one dimension; a 0-d tensor is a row of one.

    Raises:
        NotImplementedError: for whole numbers, in PyTorch's words.
    """
    axis = wrapped(dim, array.ndim)
    if array.dtype.kind not in "fV":
        last = "lastdim_" if axis == array.ndim - 1 else ""
        name = "log_softmax" if kernel is log_softmax_kernel else "softmax"
        raise NotImplementedError(f"\"{name}_{last}kernel_impl\" not implemented for '{scalar_type(array)}'")
    if not array.ndim:
        return in_float(lambda x: kernel(x, 0), np.atleast_1d(array)).reshape(())
    array = np.ascontiguousarray(array)  # PyTorch's result is contiguous, too
    if kernel is log_softmax_kernel and is_half(array) and axis == array.ndim - 1:
        return log_softmax_of_halves(array)
    return in_float(lambda x: kernel(x, axis), array)


@operator(
    formula="(Σ g·y, spread) · y",
    at="torch",
    name="_softmax_backward_data",
    grad_fn="SoftmaxBackwardDataBackward0",
    saves="dim grad_output output",
    grad_output=lambda grad, output, dim: softmax_backward(grad, output, dim),
    output=lambda grad, grad_output, output, dim: softmax_backward_output(grad, grad_output, output, dim),
)
def softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    """``softmax``'s derivative as an operation of its own."""
    return in_float(lambda g, y: softmax_rounded(g, y, dim), grad_output, output)


def softmax_backward(grad: Tensor, result: Tensor, dim: int) -> Tensor:
    """``(g − Σ g·y) · y``: raising one score takes from all the others."""
    return (grad - (grad * result).sum(dim, True)) * result


def softmax_backward_output(grad: Tensor, grad_output: Tensor, output: Tensor, dim: int) -> Tensor:
    """How softmax's derivative changes with its result."""
    return grad * (grad_output - (grad_output * output).sum(dim, True)) - (grad * output).sum(dim, True) * grad_output


@operator(
    formula="eˣ / Σ eˣ",
    at="internal",
    name="softmax",
    saves="dim result",
    self=lambda grad, result, dim: softmax_backward(grad, result, dim),
)
def softmax_operator(self: Any, dim: int) -> Any:
    """Turns scores into shares that add up to one; raising one score takes from all the others."""
    return along(softmax_kernel, self, dim)


@operator(
    formula="x − ln Σ eˣ",
    at="internal",
    name="log_softmax",
    saves="dim result",
    self=lambda grad, result, dim: grad - grad.sum(dim, True) * result.exp(),
)
def log_softmax_operator(self: Any, dim: int) -> Any:
    """The logarithm of softmax; the gradient is what came in less its sum times the share."""
    return along(log_softmax_kernel, self, dim)


def in_dtype(self: Tensor, dtype: dtypes.dtype | None) -> Tensor:
    """The input as softmax takes it: converted if asked for."""
    return self if dtype is None or dtype is self.dtype else self.to(dtype)


def legacy_dim(name: str, ndim: int) -> int:
    """The dimension PyTorch guesses, with a warning, when none is given."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=5,
    )
    return 0 if ndim in (0, 1, 3) else 1


@composite(at="torch tensor special")
def softmax(self: Tensor, dim: int, dtype: dtypes.dtype | None = None) -> Tensor:
    """Turns scores along ``dim`` into shares that add up to one."""
    return softmax_operator(in_dtype(self, dtype), dim)


@composite(at="torch tensor special")
def log_softmax(self: Tensor, dim: int, dtype: dtypes.dtype | None = None) -> Tensor:
    """The logarithm of softmax along ``dim``."""
    return log_softmax_operator(in_dtype(self, dtype), dim)


@composite(at="functional", name="softmax")
def functional_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtypes.dtype | None = None
) -> Tensor:
    """Turns scores along ``dim`` into shares that add up to one."""
    return softmax(input, legacy_dim("softmax", input.ndim) if dim is None else dim, dtype)


@composite(at="functional", name="log_softmax")
def functional_log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtypes.dtype | None = None
) -> Tensor:
    """The logarithm of softmax along ``dim``."""
    return log_softmax(input, legacy_dim("log_softmax", input.ndim) if dim is None else dim, dtype)


@composite(at="functional")
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtypes.dtype | None = None) -> Tensor:
    """Softmax of the negated scores."""
    return softmax(-input, legacy_dim("softmin", input.ndim) if dim is None else dim, dtype)
