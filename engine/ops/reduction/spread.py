"""Variance and standard deviation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.core.declare import operator, overloaded
from engine.ops.reduction.dims import UNSET, as_tuple, restored, wrap_dims
from engine.tensor import Tensor

NAMES = {"var": "std and var", "std": "std and var"}


def centred_squares(array: Any, dim: Any, correction: Any, keepdim: bool, name: str) -> tuple[Any, Any]:
    """Variance (for a ``name`` in std: its root) and mean, in double precision and rounded once.

    Raises:
        RuntimeError: for whole numbers.
    """
    if array.dtype.kind not in "fVc":
        raise RuntimeError(f"{NAMES.get(name, name)} only support floating point and complex dtypes")
    axes = wrap_dims(dim, array.ndim)
    wide = np.asarray(array, np.complex128 if array.dtype.kind == "c" else np.float64)
    count = math.prod(array.shape[d] for d in axes)
    mean = np.sum(wide, axis=axes, keepdims=True) / np.float64(count)
    taken = 1 if correction is None else correction
    divisor = max(count - taken, 0)
    if array.size // max(mean.size, 1) <= taken:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
            "factor (input numel divided by output numel).",
            UserWarning,
            stacklevel=2,
        )
    total = np.sum(np.abs(wide - mean) ** 2, axis=axes, keepdims=True) / np.float64(divisor)
    if not keepdim:
        mean, total = np.squeeze(mean, axes), np.squeeze(total, axes)
    real = (
        array.dtype if array.dtype.kind != "c" else np.dtype(np.float32 if array.dtype == np.complex64 else np.float64)
    )
    spread = np.sqrt(total) if name.startswith("std") else total
    return spread.astype(real), mean.astype(array.dtype)


def var_backward(grad: Tensor, self: Tensor, dim: Any, correction: Any, keepdim: bool) -> Tensor:
    """``2 (x − mean) / (n − correction) · grad``."""
    axes = wrap_dims(dim, self.ndim)
    count = math.prod(self.shape[d] for d in axes)
    divisor = count - (1 if correction is None else correction)
    if dim is None and divisor == 0:
        return restored(grad, dim, keepdim, self.ndim).expand(self.shape) * math.nan
    mean = self.mean() if dim is None or dim == () else self.mean(axes, True)
    centred = self - mean if self.ndim else self - self
    factor = 2.0 / divisor if divisor > 0 else math.inf if divisor == 0 else math.nan
    return restored(grad, dim, keepdim, self.ndim) * factor * centred


def std_backward(grad: Tensor, self: Tensor, result: Tensor, dim: Any, correction: Any, keepdim: bool) -> Tensor:
    """Through the root: ``grad / (2 · std)``, and zero where nothing varies."""
    through_root = (grad / (result * 2)).masked_fill(result == 0, 0)
    return var_backward(through_root, self, dim, correction, keepdim)


def with_mean(spread: Tensor | None, grad: Any, self: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """Adds the mean's own gradient."""
    axes = wrap_dims(dim, self.ndim)
    count = math.prod(self.shape[d] for d in axes)
    if grad is None:
        assert spread is not None
        return spread
    evenly = restored(grad, dim, keepdim, self.ndim).expand(self.shape) / max(count, 1)
    return evenly if spread is None else spread + evenly


@operator(
    order="rows",
    formula="Σ (x − x̄)² / (n − 1)",
    at="internal",
    name="var",
    saves="correction dim keepdim self",
    self=lambda grad, self, dim, correction, keepdim: var_backward(grad, self, dim, correction, keepdim),
)
def var_operator(self: Any, dim: Any = None, correction: Any = None, keepdim: bool = False) -> Any:
    """How far the elements are from their mean, squared and averaged; each one's slope grows with its distance from the
    mean.
    """
    return centred_squares(self, dim, correction, keepdim, "var")[0]


@operator(
    order="rows",
    formula="√(Σ (x − x̄)² / (n − 1))",
    at="internal",
    name="std",
    saves="correction dim keepdim result self",
    self=lambda grad, self, result, dim, correction, keepdim: std_backward(
        grad, self, result, dim, correction, keepdim
    ),
)
def std_operator(self: Any, dim: Any = None, correction: Any = None, keepdim: bool = False) -> Any:
    """How far the elements are from their mean, typically; where nothing varies the gradient is set to zero."""
    return centred_squares(self, dim, correction, keepdim, "std")[0]


@operator(
    order="rows",
    formula="(var x, x̄)",
    at="internal",
    name="var_mean",
    outputs="tuple",
    saves="correction dim keepdim self",
    undefined_gradients=True,
    self=lambda grads, self, dim, correction, keepdim: with_mean(
        None if grads[0] is None else var_backward(grads[0], self, dim, correction, keepdim),
        grads[1],
        self,
        dim,
        keepdim,
    ),
)
def var_mean_operator(self: Any, dim: Any = None, correction: Any = None, keepdim: bool = False) -> Any:
    """Variance and mean at once; each element gets both their gradients."""
    return centred_squares(self, dim, correction, keepdim, "var_mean")


@operator(
    order="rows",
    formula="(std x, x̄)",
    at="internal",
    name="std_mean",
    outputs="tuple",
    saves="correction dim keepdim result0 self",
    undefined_gradients=True,
    self=lambda grads, self, result0, dim, correction, keepdim: with_mean(
        None if grads[0] is None else std_backward(grads[0], self, result0, dim, correction, keepdim),
        grads[1],
        self,
        dim,
        keepdim,
    ),
)
def std_mean_operator(self: Any, dim: Any = None, correction: Any = None, keepdim: bool = False) -> Any:
    """Standard deviation and mean at once; each element gets both their gradients."""
    return centred_squares(self, dim, correction, keepdim, "std_mean")


def spread_function(operator_: Any, explanation: str, at: str = "torch tensor") -> Callable[..., Any]:
    """PyTorch's three ways to call one: ``(dim, unbiased, keepdim)``, ``(unbiased)``, ``(dim, *, correction)``."""

    def choose(
        self: Any, dim: Any = UNSET, unbiased: Any = UNSET, keepdim: bool = False, *, correction: Any = UNSET
    ) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if not isinstance(unbiased, bool | np.bool_) and unbiased is not UNSET:
            raise TypeError(f"{operator_.name}(): argument 'unbiased' must be bool, not {type(unbiased).__name__}")
        if correction is UNSET:
            correction = None if unbiased is UNSET else int(unbiased)
            if unbiased is UNSET and dim is not UNSET:
                correction = 1
        return operator_, self, None if dim is None or dim is UNSET else as_tuple(dim), correction, keepdim

    choose.__doc__ = explanation
    return overloaded(name=operator_.name, at=at)(choose)


var = spread_function(
    var_operator, "The variance of all elements or along ``dim``; ``correction`` is taken off the count (1: unbiased)."
)
std = spread_function(
    std_operator, "The standard deviation of all elements or along ``dim``; ``correction`` is taken off the count."
)
var_mean = spread_function(var_mean_operator, "Variance and mean.", "torch")
std_mean = spread_function(std_mean_operator, "Standard deviation and mean.", "torch")
