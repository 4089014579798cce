"""Dispatch modes: whoever is on the stack is shown every operator before it computes, and may answer in its place.

They stand below autograd, as PyTorch's do: what they return becomes the result, and the node is recorded as always.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.autograd.modes import state as modes
from engine.observe import state as observing
from engine.ops.core.inplace import InPlace
from engine.ops.core.operator import Operator
from engine.ops.core.overloads import OpOverload, overload_of, packet
from engine.ops.core.writable import any_requires_grad
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


def asked(name: str, compute: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the innermost mode makes of a call of ``aten.<name>``, which ``compute`` is the whole of."""
    return consulted(getattr(packet(name), OVERLOADS.get(name, "default")), compute, args, kwargs)


OVERLOADS = {"empty": "memory_format", "fill_": "Scalar"}
"""The overloads of functions that are no operators, where they have a name."""


def consulted(overload: OpOverload, compute: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Shows the innermost mode a call; ``overload`` means ``compute`` until it has answered, and the mode is off meanwhile."""
    mode, recording = modes.dispatching.pop(), modes.grad_enabled
    modes.grad_enabled = False
    modes.refresh()
    overload.asked.append(compute)
    try:
        return mode.__torch_dispatch__(overload, (), args, kwargs)
    finally:
        overload.asked.pop()
        modes.dispatching.append(mode)
        modes.grad_enabled = recording
        modes.refresh()


def answer(operator: Operator, arguments: tuple[Any, ...], in_place: bool = False) -> Any:
    """What the innermost mode makes of a call: a tensor, or a tuple of them."""

    def compute(*args: Any, **kwargs: Any) -> Any:
        given = operator.signature.bind(operator.name, args, kwargs)
        with observing.silent():  # it is told once the mode has answered
            return wrap(first(operator.compute(given))) if in_place else operator.run(given)

    return consulted(overload_of(operator, arguments, in_place), compute, *shown(operator, arguments))


def shown(operator: Operator, arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments without those at the end that have their default, and those that only a keyword can give; sizes are lists."""
    signature = operator.signature
    seen = [list(a) if type(a) is tuple else a for a in arguments]
    usual = [
        a is default or (type(a) in PLAIN and a == default)
        for a, default in zip(arguments, signature.defaults, strict=True)
    ]
    positional = 1 if operator.name in BY_KEYWORD else max(signature.positional, (signature.gathers or -1) + 1)
    named = {signature.names[place]: seen[place] for place in range(positional, signature.count) if not usual[place]}
    count = positional
    while count > 1 and usual[count - 1]:
        count -= 1
    return tuple(seen[:count]), named


BY_KEYWORD = frozenset({"_to_copy"})
"""Operators of which everything but the tensor is named."""
PLAIN = frozenset({bool, int, float, str, type(None)})


def first(value: Any) -> Any:
    """The first of several results."""
    return value[0] if isinstance(value, tuple | list) else value


def dispatched(operator: Operator, arguments: tuple[Any, ...]) -> tuple[Any, list[Tensor]]:
    """`Operator.compute` through the modes: the shape of the answer, and its tensors."""
    made = answer(operator, arguments)
    tensors = list(made) if isinstance(made, tuple | list) else [made]
    for tensor in tensors:
        tensor._creation = ""
    if modes.grad_enabled and not modes.saved_hooks and any_requires_grad(arguments):
        for name, tensor in zip(operator.outputs if len(tensors) > 1 else ("result",), tensors, strict=False):
            if name in operator.node_type.saved_names:
                tensor.detach()  # as which the node keeps it, and the modes see that
    return (tuple(tensors) if isinstance(made, tuple | list) else tensors[0]), tensors


def dispatched_in_place(operator: Operator, arguments: tuple[Any, ...]) -> Any:
    """The value to write, through the modes."""
    return answer(operator, arguments, in_place=True)._array


Operator.dispatched = dispatched
InPlace.dispatched = staticmethod(dispatched_in_place)
