"""The gradient of an operation that picks elements by their places: put back there, and picked again in its own gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.core.declare import operator
from engine.ops.neural.flat_slopes import zeros_for
from engine.ops.neural.windows import Sizes


def put_back(grad: Any, shape: Sizes, indices: Any, dims: int) -> Any:
    """Adds gradients up at flat spatial indices of an input of ``shape``."""
    lead, area = math.prod(shape[:-dims]), math.prod(shape[-dims:])
    flat = (indices.reshape(lead, math.prod(indices.shape[-dims:])) + np.arange(lead)[:, None] * area).ravel()
    if grad.dtype.kind == "V":
        return np.bincount(flat, grad.astype(np.float32).ravel(), lead * area).astype(grad.dtype).reshape(shape)
    return np.bincount(flat, grad.ravel(), lead * area).astype(grad.dtype).reshape(shape)


def pick(array: Any, indices: Any, dims: int) -> Any:
    """The elements of ``array`` at flat spatial indices."""
    flat = array.reshape(*array.shape[:-dims], math.prod(array.shape[-dims:]))
    places = indices.reshape(*indices.shape[:-dims], math.prod(indices.shape[-dims:]))
    return np.take_along_axis(flat, places, -1).reshape(indices.shape)


def put_back_operator(name: str, dims: int, exposed: str) -> Any:
    """Declares the gradient of a pooling that picks, and what picks again in its own gradient.

    Args:
        name: PyTorch's name of the pooling.
        dims: how many spatial dimensions it has.
        exposed: how the class names of its nodes begin.
    """

    @operator(
        at="internal",
        name=f"{name}_backward",
        grad_fn=f"{exposed}BackwardBackward0",
        grad_output=lambda grad, indices: again(grad, indices),
        self=lambda self: zeros_for(self),
    )
    def back(grad_output: Any, self: Any, indices: Any) -> Any:
        """The derivative of the function that its name begins with, as an operation of its own."""
        return put_back(grad_output, self.shape, indices, dims)

    @operator(
        at="internal",
        name=f"{name}_pick",
        grad_fn="GatherBackward0",
        self=lambda grad, self, indices: back(grad, self, indices),
    )
    def again(self: Any, indices: Any) -> Any:
        """The elements at given places."""
        return pick(self, indices, dims)

    return back
