"""The way from a base to one of its views as a function of the base: ``view._view_func(other_base)``, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.autograd.switches import is_view_replay_enabled
from engine.ops.core.catalogue import TABLES
from engine.ops.core.geometry import offset_of, strides_of
from engine.ops.core.view_links import Step
from engine.ops.layout.strided import as_strided
from engine.ops.layout.view_steps import replay
from engine.tensor import Tensor

Visitor = Callable[[Any], Any] | None


def view_func(
    self: Tensor, new_base: Tensor, symint_visitor_fn: Visitor = None, tensor_visitor_fn: Visitor = None
) -> Tensor | None:
    """``Tensor._view_func``: what this view is of its base, of another base; None for no view, or a base of other looks.

    Args:
        symint_visitor_fn: replaces each index and length that the view was made with.
        tensor_visitor_fn: would do so with tensors, which no view is made with.
    """
    base = self._base
    if base is None or facts(base) != facts(new_base):
        return None
    return view_func_unsafe(self, new_base, symint_visitor_fn, tensor_visitor_fn)


def view_func_unsafe(
    self: Tensor, new_base: Tensor, symint_visitor_fn: Visitor = None, tensor_visitor_fn: Visitor = None
) -> Tensor | None:
    """``Tensor._view_func_unsafe``: the same, whatever the base looks like."""
    if self._base is None:
        return None
    if not self._view_steps:
        return as_strided(new_base, self.shape, strides_of(self), offset_of(self))
    steps = self._view_steps
    return replay(
        new_base, steps if symint_visitor_fn is None else [visited(step, symint_visitor_fn) for step in steps]
    )


def visited(step: Step, visitor: Callable[[Any], Any]) -> Step:
    """The step with other indices and lengths; which dimensions it goes along stays."""
    if step.operator is None or step.operator.name in FIXED:
        return step
    arguments = [
        value if name.startswith("dim") else shifted(value, visitor)
        for name, value in zip(step.operator.signature.names[1:], step.arguments, strict=False)
    ]
    return step._replace(arguments=arguments)


def shifted(value: Any, visitor: Callable[[Any], Any]) -> Any:
    """A whole number, or each of several, as the visitor makes it."""
    if type(value) is int:
        return visitor(value)
    return type(value)(shifted(part, visitor) for part in value) if type(value) in (tuple, list) else value


def reverse_view_func_unsafe(self: Tensor, new_view: Tensor) -> Tensor:
    """``Tensor._rev_view_func_unsafe``: a base whose view ``new_view`` would be, on the same memory.

    Raises:
        RuntimeError: the view was not made while view operations were remembered (`_force_original_view_tracking`).
    """
    base = self._base
    if base is None or not (self._view_steps or is_view_replay_enabled()):
        raise RuntimeError("No _rev_view_func() found")
    seen = new_view
    for step in reversed(self._view_steps):
        opposite = OPPOSITES.get(step.operator.name) if step.operator is not None else None
        if opposite is not None:
            seen = TABLES["torch"][opposite](seen)
    return as_strided(seen, base.shape, strides_of(base), offset_of(base))


FIXED = frozenset({"diagonal", "unfold"})
"""Views whose numbers no visitor is shown."""
OPPOSITES = {"view_as_real": "view_as_complex", "view_as_complex": "view_as_real"}
"""Views that are no windows, and what takes them back."""


def facts(tensor: Tensor) -> tuple[Any, ...]:
    """What two bases must have in common."""
    return tensor.shape, strides_of(tensor), offset_of(tensor)


Tensor._view_func = view_func
Tensor._view_func_unsafe = view_func_unsafe
Tensor._rev_view_func_unsafe = reverse_view_func_unsafe
