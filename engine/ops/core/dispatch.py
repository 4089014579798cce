"""Dispatch modes: whoever is on the stack is shown every operator before it computes, and may answer in its place.

They stand below autograd, as PyTorch's do: what they return becomes the result, and the node is recorded as always.
"""

from __future__ import annotations

from typing import Any

from engine.autograd.modes import state as modes
from engine.observe import state as observing
from engine.ops.core.inplace import InPlace
from engine.ops.core.operator import Operator
from engine.ops.core.overloads import overload_of
from engine.tensor import Tensor, wrap


class TorchDispatchMode:
    """``torch.utils._python_dispatch.TorchDispatchMode``: subclass, define ``__torch_dispatch__``, enter."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Called for every operator; ``func(*args, **kwargs)`` computes it."""
        raise NotImplementedError

    def __enter__(self) -> TorchDispatchMode:
        modes.dispatching.append(self)
        modes.refresh()
        return self

    def __exit__(self, *exception: object) -> None:
        modes.dispatching.pop()
        modes.refresh()


TorchDispatchMode.__module__ = "torch.utils._python_dispatch"


def current_mode() -> Any:
    """The innermost mode, or None."""
    return modes.dispatching[-1] if modes.dispatching else None


def answer(operator: Operator, arguments: tuple[Any, ...], in_place: bool = False) -> Any:
    """What the innermost mode makes of a call: a tensor, or a tuple of them."""
    overload = overload_of(operator, arguments, in_place)

    def compute(*args: Any, **kwargs: Any) -> Any:
        given = operator.signature.bind(operator.name, args, kwargs)
        with observing.silent():  # it is told once the mode has answered
            return wrap(first(operator.compute(given))) if in_place else operator.run(given)

    mode, recording = modes.dispatching.pop(), modes.grad_enabled
    modes.grad_enabled = False
    modes.refresh()
    overload.asked.append(compute)
    try:
        return mode.__torch_dispatch__(overload, (), shown(operator, arguments), {})
    finally:
        overload.asked.pop()
        modes.dispatching.append(mode)
        modes.grad_enabled = recording
        modes.refresh()


def shown(operator: Operator, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments without those at the end that have their default."""
    given = list(arguments)
    defaults = operator.signature.defaults
    while given and len(given) > operator.signature.required and given[-1] is defaults[len(given) - 1]:
        given.pop()
    return tuple(given)


def first(value: Any) -> Any:
    """The first of several results."""
    return value[0] if isinstance(value, tuple | list) else value


def dispatched(operator: Operator, arguments: tuple[Any, ...]) -> tuple[Any, list[Tensor]]:
    """`Operator.compute` through the modes: the shape of the answer, and its tensors."""
    made = answer(operator, arguments)
    tensors = list(made) if isinstance(made, tuple | list) else [made]
    for tensor in tensors:
        tensor._creation = ""
    return (tuple(tensors) if isinstance(made, tuple | list) else tensors[0]), tensors


def dispatched_in_place(operator: Operator, arguments: tuple[Any, ...]) -> Any:
    """The value to write, through the modes."""
    return answer(operator, arguments, in_place=True)._array


Operator.dispatched = dispatched
InPlace.dispatched = staticmethod(dispatched_in_place)
