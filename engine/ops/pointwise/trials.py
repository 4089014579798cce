"""Operators that exist to try autograd out, in PyTorch as here: their derivatives are not those of what they compute."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine.ops.core.declare import operator, overloaded, view
from engine.ops.layout.copies import clone
from engine.tensor import Tensor


@operator(
    at="internal",
    formula="x",
    name="_test_warn_in_autograd",
    grad_fn="TestWarnInAutogradBackward0",
    self=lambda grad: warned(grad),
)
def warning_twin(self: Any) -> Any:
    """The same values; the gradient goes on unchanged."""
    return np.array(self)


def warned(grad: Tensor) -> Tensor:
    """The gradient as it is, and a warning."""
    warnings.warn("Warn from backward", UserWarning, stacklevel=2)
    return grad.clone()


@operator(at="internal", formula="x", name="_test_autograd_multiple_dispatch", self=lambda grad: grad + 1)
def dispatched(self: Any) -> Any:
    """The same values; its gradient is one too large, to show which formula was used."""
    return np.array(self)


@overloaded(at="torch", name="_test_autograd_multiple_dispatch")
def multiple_dispatch(input: Any, b: bool | None = None) -> Any:
    """The same values, by an operator of its own or (with ``b``) as a clone."""
    return (dispatched, input) if b is None else (clone, input)


@view(
    at="torch",
    formula="x",
    name="_test_autograd_multiple_dispatch_view",
    self=lambda grad, self: grad.reshape(self.shape),
)
def dispatched_view(self: Any) -> Any:
    """All values in one row."""
    return self.reshape(-1)


@operator(
    at="torch",
    formula="x",
    name="_test_autograd_multiple_dispatch_view_copy",
    grad_fn="TestAutogradMultipleDispatchViewBackward0_copy",
    self=lambda grad, self: grad.reshape(self.shape),
)
def dispatched_view_copy(self: Any) -> Any:
    """All values in one row."""
    return np.array(self).reshape(-1)
