"""Functions of one number."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.declare import pointwise


def in_double(function: Any, x: Any) -> Any:
    """Computes float32 in float64 and rounds once: that is how close PyTorch's vector code comes to the true value."""
    return function(x.astype(np.float64)).astype(x.dtype) if x.dtype.itemsize < 8 and x.dtype.kind != "c" else function(x)


@pointwise(formula="eˣ", slope=lambda result: result, to_float=True)
def exp(self: Any) -> Any:
    """Grows as fast as it is tall: its slope is its own value."""
    return in_double(np.exp, self)


@pointwise(formula="ln x", to_float=True, self=lambda grad, self: grad.div(self.conj()))
def log(self: Any) -> Any:
    """The natural logarithm; its slope is one over x, steep near zero."""
    return in_double(np.log, self)


@pointwise(formula="tanh x", to_float=True, slope=lambda result: 1 - result * result)
def tanh(self: Any) -> Any:
    """Squeezes to between −1 and 1; far from zero it is flat and lets hardly any gradient through."""
    return in_double(np.tanh, self)


@pointwise(formula="1 / (1 + e⁻ˣ)", to_float=True, aliases="special.expit", slope=lambda result: result * (1 - result))
def sigmoid(self: Any) -> Any:
    """Squeezes to between 0 and 1; its slope is at most a quarter."""
    return in_double(lambda x: 1 / (1 + np.exp(-x)), self)


@pointwise(formula="max(x, 0)", self=lambda grad, result: grad * (result > 0), at="torch tensor functional")
def relu(self: Any) -> Any:
    """Keeps what is positive; where the input was not, the gradient stops."""
    return np.maximum(self, self.dtype.type(0))


@pointwise(at="torch tensor", inplace=False)
def gt(self: Any, other: Any) -> Any:
    """Whether x is greater; a yes or no has no slope."""
    return self > other
