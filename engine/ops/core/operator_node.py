"""The node that an operator's call leaves in the graph: it derives with what was saved, and lets go of it.

What runs for every node of a pass is made once per operator (`bare_arithmetic`, `letting_go`): the operator is at hand then, while
looking it up on the node, which is of another class each time, costs more than many a derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.autograd.currency import unwrapped
from engine.autograd.modes import state as modes
from engine.autograd.node import Edge, Node
from engine.autograd.saved import FREED, Freed, PackedTensor, SavedResult, SavedTensor
from engine.ops.core.saved_numbers import SavedScalar
from engine.tensor import Parameter, Tensor, new, wrap

if TYPE_CHECKING:
    from engine.ops.core.operator import Operator

TENSOR_ENTRIES: set[type] = {Tensor, Parameter, SavedTensor, SavedResult, PackedTensor, SavedScalar, Freed}
"""Of a node's saved entries, those that are unpacked. A program's own classes of tensors join them (`override_installation`)."""
float32 = np.float32
REAL = frozenset("fd")
"""float32 and float64. Complex numbers need their conjugates, half types compute their products in float32."""
HALVES = frozenset("eE")
"""float16 and bfloat16."""


class OperatorNode(Node):
    """A node whose derivatives were declared by an operator."""

    operator: Operator
    trailing: int = 0
    """How many outputs come after the last that can have a gradient: nobody sees them, but derivatives count them."""

    def apply(self, gradients: list[Any]) -> Sequence[Any]:
        """Runs the derivative of each argument that needs one."""
        values = [e._unpack(self) if type(e) in TENSOR_ENTRIES else e for e in self.saved]
        return self._applied(gradients, values)

    def _applied(self, gradients: list[Any], values: list[Any]) -> Sequence[Any]:
        """`apply` with what was saved unpacked."""
        operator = self.operator
        gradient = gradients[0] if len(gradients) == 1 and not self.trailing else self._complete(gradients)
        if gradient is None:
            return [None] * len(self.edges)
        if operator.spreads or operator.keeps_lists:
            return operator.pull_back(self, gradient, values)
        derivatives = operator.derivatives
        if modes.deriving:
            if operator.recorded_joint is not None:
                return operator.spread(self, operator.recorded_joint(gradient, values, self))
            derivatives = operator.recorded_derivatives or derivatives
            if operator.turns:
                return self._in_turn(operator.turns, derivatives, gradient, values)
        return [
            None if edge[0] is None else derive(gradient, values, self)
            for edge, derive in zip(self.edges, derivatives)  # noqa: B905 (as many by declaration; strict costs)
        ]

    def _in_turn(self, turns: Sequence[int], derivatives: Sequence[Any], gradient: Any, values: list[Any]) -> list[Any]:
        """One gradient (or None) per edge, computed in another order: their own nodes are numbered by it."""
        messages: list[Any] = [None] * len(self.edges)
        for place in turns:
            if self.edges[place][0] is not None:
                messages[place] = derivatives[place](gradient, values, self)
        return messages

    def apply_bare(self, gradients: list[Any]) -> Sequence[Any]:
        """`apply` on arrays. Where the derivatives are plain arithmetic, `bare_arithmetic` stands in its place."""
        operator = self.operator
        if operator.spreads or operator.keeps_lists or len(gradients) != 1 or self.trailing:
            return super().apply_bare(gradients)
        return self._derive_bare(operator, gradients[0])

    def _derive_bare(self, operator: Operator, gradient: Any) -> Sequence[Any]:
        """`apply` for one output, with the wrapping done on the way."""
        values = [e._unpack(self) if type(e) in TENSOR_ENTRIES else e for e in self.saved]
        return [None] * len(self.edges) if gradient is None else self._derived(operator, gradient, values)

    def _derive_unpacked(self, gradient: Any) -> Sequence[Any]:
        """On arrays where hooks kept what was saved and gave the same kind back; else tensors refuse it in words."""
        operator, values = self.operator, [e._unpack(self) if type(e) in TENSOR_ENTRIES else e for e in self.saved]
        for entry, value in zip(self.saved, values, strict=True):
            if type(entry) is PackedTensor and not entry.is_like(value, gradient.dtype):
                return self._derived(operator, gradient, values)
        bare = [
            entry.value if type(entry) is SavedScalar else value._array if isinstance(value, Tensor) else value
            for entry, value in zip(self.saved, values, strict=True)
        ]
        messages: Sequence[Any] = operator.arithmetic(gradient, bare, self.edges)
        return messages

    def _derived(self, operator: Operator, gradient: Any, values: list[Any]) -> Sequence[Any]:
        """One array (or None) per edge, by derivatives that are written for tensors."""
        tensor: Tensor = new(Tensor)
        tensor._array = gradient
        messages = []
        for edge, derive in zip(self.edges, operator.derivatives):  # noqa: B905 (as many by declaration; strict costs)
            message = None if edge[0] is None else derive(tensor, values, self)
            messages.append(None if message is None else message._array)
        return messages

    def apply_wide(self, gradients: list[Any]) -> Sequence[Any]:
        """`apply_bare` in float32 if the gradients are halves, rounded once at the end, as a kernel of PyTorch's does it."""
        if not any(is_half(gradient) for gradient in gradients):
            return OperatorNode.apply_bare(self, gradients)
        values = [e._unpack(self) if type(e) in TENSOR_ENTRIES else e for e in self.saved]
        widened = [wide(v) if isinstance(v, Tensor) else v for v in values]
        messages = unwrapped(self._applied([None if g is None else wide(wrap(g)) for g in gradients], widened))
        return [
            None if message is None or receiver is None else rounded_to(message, receiver.dtypes[place])
            for message, (receiver, place) in zip(messages, self.edges, strict=True)
        ]

    def _complete(self, gradients: list[Any]) -> list[Any] | None:
        """All outputs' gradients, zeros where none arrived (None if none arrived at all)."""
        if all(g is None for g in gradients):
            return None
        rest = [None] * self.trailing
        if self.operator.undefined_gradients:
            return [*gradients, *rest]
        return [
            Tensor._output_again(np.zeros(shape, dtype), None, None, 0) if g is None else g
            for g, shape, dtype in zip(gradients, self.shapes, self.dtypes, strict=True)
        ] + rest

    def held(self) -> Sequence[str]:
        """Names of the saved tensors it still has."""
        operator = self.operator
        if not (operator.keeps_tensors or operator.keeps_lists):
            return ()
        return [
            name.removeprefix("_")
            for name, entry in zip(self.saved_names, self.saved, strict=True)
            if entry is not None and entry is not FREED and holds_tensor(entry)
        ]


class UnimplementedNode(OperatorNode):
    """The node of an operator that PyTorch's derivatives do not list: no generated class, but one that refuses for all of them."""

    def name(self) -> str:
        """As in C++."""
        return f"torch::autograd::{type(self).__name__}"

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        """One for each tensor that needs a gradient: a tensor that needs none has no place here, as it has in other nodes."""
        return tuple(edge for edge in super().next_functions if edge[0] is not None)


def bare_arithmetic(operator: Operator) -> Callable[[OperatorNode, list[Any]], Sequence[Any]]:
    """`OperatorNode.apply_bare` for derivatives that are plain arithmetic: they run on the arrays at once."""
    arithmetic = operator.arithmetic
    direct = REAL | HALVES if operator.rounds_steps else REAL
    other_dtypes = OperatorNode.apply_wide if operator.derives_in_float else Node.apply_bare

    def apply_bare(self: OperatorNode, gradients: list[Any]) -> Sequence[Any]:
        gradient = gradients[0]
        if type(gradient) is not float32 and (gradient is None or gradient.dtype.char not in direct):
            return other_dtypes(self, gradients)
        if not operator.keeps_tensors:
            return arithmetic(gradient, self.saved, self.edges)
        values = []
        for entry in self.saved:
            kind = type(entry)
            if kind is Tensor and entry._counter is None:
                values.append(entry._array)
            elif kind is SavedScalar:
                values.append(entry.value)
            elif kind is SavedResult:
                values.append(entry.unchanged(self))
            elif kind is PackedTensor:
                return self._derive_unpacked(gradient)
            else:
                values.append(entry._unpack(self)._array if kind in TENSOR_ENTRIES else entry)
        return arithmetic(gradient, values, self.edges)

    return apply_bare


def wide(tensor: Tensor) -> Tensor:
    """A tensor of halves in float32; others as they are."""
    return wrap(tensor._array.astype(np.float32)) if is_half(tensor._array) else tensor


def rounded_to(message: Any, dtype: Any) -> Any:
    """The message in its receiver's dtype, where the receiver knows it."""
    return message if dtype is None else message.astype(dtype, copy=False)


def is_half(array: Any) -> bool:
    """Whether there is an array, of float16 or bfloat16."""
    return array is not None and array.dtype.itemsize == 2 and array.dtype.kind in "fV"


def letting_go(operator: Operator) -> Callable[[OperatorNode], None]:
    """`Node.release` for an operator's nodes: drops saved tensors, keeps plain values."""

    def release(self: OperatorNode) -> None:
        if operator.keeps_lists:
            self.saved = tuple([FREED if holds_tensor(e) else e for e in self.saved])
        elif operator.keeps_tensors:
            self.saved = operator.without_tensors(self.saved)

    return release


def holds_tensor(entry: Any) -> bool:
    """Whether a saved entry is a tensor, or a list with one."""
    kind = type(entry)
    return kind in TENSOR_ENTRIES or (kind is list and any(type(e) in TENSOR_ENTRIES for e in entry))
