"""The sink at a leaf: the node at which a gradient ends, and is added to ``.grad``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.autograd.hooks import after_accumulation
from engine.autograd.node import FLOAT32, LAST, SCALAR, Node

NOT_CHOSEN = object()
"""Stands for a leaf's ``grad_dtype`` as long as that is its own dtype."""


class AccumulateGrad(Node):
    """The sink at a leaf: adds what arrives to ``variable.grad``.

    The node holds its leaf; the leaf refers back weakly, so a graph that is dropped takes its sinks along.
    """

    sequence_nr = LAST
    is_sink = True

    def __init__(self, variable: Any) -> None:
        self.variable = variable
        self.match()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "variable"]

    def match(self) -> None:
        """Takes over the leaf's shape and its ``grad_dtype``, which may change; no dtype if that is open."""
        array, chosen = self.variable._array, self.variable._grad_dtype
        if chosen is not NOT_CHOSEN:
            self.shapes, self.dtypes = (array.shape,), (None if chosen is None else chosen.array,)
        elif type(array) is np.float32:
            self.shapes, self.dtypes = SCALAR, FLOAT32
        else:
            self.shapes, self.dtypes = (array.shape,), (array.dtype,)

    @property
    def hooked(self) -> bool:
        """Whether the leaf or this node has hooks."""
        return self.variable._hooks is not None or self.pre_hooks is not None or self.post_hooks is not None

    @hooked.setter
    def hooked(self, value: bool) -> None:
        """Registration sets the flag; here it is always derived."""

    def apply(self, gradients: list[Any]) -> Sequence[Any]:
        """Stores or adds the gradient; the listener hears old, incoming and new."""
        if gradients[0] is not None and self.still_leaf():
            self.variable._accumulate(gradients[0], self)  # straight from the list: references are counted there
        if self.variable._post_accumulate:
            after_accumulation(self.variable, self)
        return ()

    def still_leaf(self) -> bool:
        """Whether the variable still wants gradients.

        Raises:
            RuntimeError: it has become a result since (an in-place write recorded under this very tensor).
        """
        if self.variable._node is not None:
            raise RuntimeError("leaf variable has been moved into the graph interior")
        return self.variable._requires_grad

    def apply_bare(self, gradients: list[Any]) -> Sequence[Any]:
        """The same, for an array."""
        variable = self.variable
        if gradients[0] is not None and (variable._requires_grad if variable._node is None else self.still_leaf()):
            variable._accumulate_bare(gradients[0])
        if variable._post_accumulate:
            after_accumulation(variable, self)
        return ()

    def name(self) -> str:
        """As in C++."""
        return "torch::autograd::AccumulateGrad"


AccumulateGrad.__module__ = "builtins"  # what ``print(type(node))`` shows: PyTorch's nodes belong to no module
