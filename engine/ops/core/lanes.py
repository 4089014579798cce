"""The short way for the commonest calls: ``x + y``, ``x * 2.0`` between float tensors of one dtype.

It does what `engine.ops.core.operator.Operator.run` does, with everything decided at declaration that can be. Whatever it
does not recognise goes the general way. It returns NotImplemented where Python should ask the other operand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.autograd.node import NO_EDGE, Edge
from engine.autograd.saved import SavedTensor
from engine.observe import state as observing
from engine.ops.core.arrangement import arranged
from engine.ops.core.operator import Operator
from engine.ops.core.saved_numbers import SavedScalar
from engine.tensor import Parameter, Tensor, new

float32, ndarray = np.float32, np.ndarray
FLOATS, REAL, ANY = frozenset("fV"), frozenset("fViub"), frozenset("fViubc")
"""Kinds of numbers, by numpy's character (V: bfloat16)."""
FLOAT32 = np.dtype(float32)
NUMBERS = (bool, int, float, complex)


def binary_lane(
    operator: Operator, kernel: Callable[[Any, Any], Any], kinds: frozenset[str] = ANY
) -> Callable[..., Any]:
    """A method ``(self, other)`` for an operator of two tensors whose further parameters keep their defaults.

    Args:
        operator: the general way.
        kernel: the arithmetic on two arrays of one dtype.
        kinds: other numbers need the general way (division makes floats of whole ones, complex products round in their own).
    """
    run, rest = operator.run, operator.signature.defaults[2:]
    both, floats_only = operator.name == "div", kinds is FLOATS
    node_class: Any = None
    values: tuple[Any, ...] = ()
    saves_self = saves_other = other_first = False

    def prepare() -> None:
        """Reads off the node's class what it keeps, when the first call is recorded: importing should be quick."""
        nonlocal node_class, values, saves_self, saves_other, other_first
        node_class = operator.node_type
        names = node_class.saved_names
        saves_self, saves_other, other_first = "self" in names, "other" in names, names[:1] == ("other",)
        if not (saves_self or saves_other):
            values = tuple([rest[operator.signature.index[name] - 2] for name in names])

    def call(self: Tensor, other: Any) -> Any:
        x = self._array
        kind = type(other)
        if kind is Tensor or kind is Parameter:
            y = other._array
            number = False
            dtype = x.dtype
            quick = dtype is y.dtype and (dtype is FLOAT32 or dtype.kind in kinds)
        elif kind is float or kind is int:
            y, number = other, True
            quick = x.dtype is FLOAT32 or (x.dtype.kind == "f" and x.dtype.itemsize > 2)
        elif isinstance(other, (Tensor, *NUMBERS)):
            return run((self, other.item() if isinstance(other, np.generic) else other, *rest))
        else:
            return other_operand(operator, self, other, rest)
        if not quick or modes.special:
            return run((self, other, *rest))
        if floats_only and number and not other:
            return run((self, other, *rest))
        result: Tensor = new(Tensor)
        try:
            value = kernel(x, y)
            result._array = value if type(value) is not ndarray or value.ndim < 2 else arranged(value, (x, y))
        except (ValueError, TypeError):  # the general way says what is wrong
            return run((self, other, *rest))
        if modes.grad_enabled:
            left = self._requires_grad or (self._base is not None and self.requires_grad)
            right = not number and (other._requires_grad or (other._base is not None and other.requires_grad))
            if left or right:
                if node_class is None:
                    prepare()
                node: Any = new(node_class)
                node.sequence_nr = modes.sequence_nr
                modes.sequence_nr += 1
                before = self._node
                if before is not None and self._base is None:  # the commonest edge: a chain of results
                    edge: Edge = (before, self._output_nr)
                else:
                    edge = self._gradient_edge() if left else NO_EDGE
                other_edge = other._gradient_edge() if right else NO_EDGE
                node.edges = (edge, other_edge)
                array = result._array
                if type(array) is not float32:
                    node.shapes = (array.shape,)
                    node.dtypes = (array.dtype,)
                if not (saves_self or saves_other):
                    node.saved = values
                else:
                    kept_other = kept_self = None
                    if saves_other and (both or edge[0] is not None):
                        kept_other = (
                            SavedScalar(other) if number else other if other._counter is None else SavedTensor(other)
                        )
                    if saves_self and other_edge[0] is not None:
                        kept_self = self if self._counter is None else SavedTensor(self)
                    node.saved = (kept_other, kept_self) if other_first else (kept_self, kept_other)
                result._node = node
                result._requires_grad = True
        if observing.listener is not None:
            observing.listener.operation(operator, (self, other, *rest), (result,), result._node)
        return result

    call.__name__ = operator.name
    call.__doc__ = operator.__doc__
    return call


def other_operand(operator: Operator, self: Tensor, other: Any, rest: tuple[Any, ...]) -> Any:
    """Numpy's scalars take part as numbers; anything else, arrays among it, is Python's affair (and so numpy's)."""
    return operator.run((self, other.item(), *rest)) if isinstance(other, np.generic) else NotImplemented
