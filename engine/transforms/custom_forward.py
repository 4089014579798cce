"""Forward mode through a custom ``autograd.Function``: its ``jvp``, and what must hold of the tangents it returns.

A tangent is laid out as its value and shares memory where the value does, so a ``forward`` that returns a view or writes in
place needs a ``jvp`` that does the same (PyTorch: ``_process_forward_mode_AD``).
"""

from __future__ import annotations

from typing import Any

from engine.autograd.forward_switch import _set_fwd_grad_enabled
from engine.autograd.function import Function
from engine.ops.core.tangents import set_tangent, source_of, tangent_of, tell_node
from engine.tensor import Tensor

DIFFERENTIABLE = frozenset("fcV")
"""Kinds of numpy dtypes that can have a tangent (V is bfloat16)."""
IN_PLACE = (
    "If the forward is modifying an input inplace, then the jvp function must modify the corresponding gradient inplace"
)


def push_forward_custom(cls: type[Function], node: Any, args: tuple[Any, ...], outputs: Any) -> None:
    """Gives a custom Function's outputs the tangents that its ``jvp`` returns.

    Raises:
        RuntimeError: it returns another number of tangents than outputs, or something that cannot be a tangent of its output.
    """
    tangents = [tangent_of(a) for a in args]
    if all(t is None for t in tangents):
        return
    versions = {id(t): t._version for t in tangents if t is not None}
    given = [zeros(a) if t is None and node.materialize_grads else t for a, t in zip(args, tangents, strict=True)]
    node.in_forward_mode = True
    try:
        with _set_fwd_grad_enabled(False):
            returned = cls.jvp(node, *given)
    finally:
        node.in_forward_mode = False
    several = returned if isinstance(returned, tuple) else (returned,)
    results = outputs if isinstance(outputs, tuple) else (outputs,)
    for number, tangent in enumerate(several):
        if tangent is not None and not isinstance(tangent, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {number}.")
    if len(several) != len(results):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(results)} but got {len(several)})"
        )
    constant, dirty = {id(t) for t in node.non_differentiable}, {id(t) for t in node.dirty_tensors}
    for number, (result, tangent) in enumerate(zip(results, several, strict=True)):
        if not isinstance(result, Tensor):
            continue
        if not differentiable(result) or id(result) in constant:
            refuse_tangent(number, tangent)
        elif tangent is not None and id(result) in dirty:
            take_written(result, tangent, versions)
        elif tangent is not None:
            set_tangent(result, tangent, written=not shares(result, tangent, args))
            tell_node(result)


def zeros(argument: Any) -> Tensor | None:
    """What ``jvp`` gets for an argument that has no tangent; None for one that cannot have any."""
    return argument.new_zeros(argument.shape) if differentiable(argument) else None


def differentiable(value: Any) -> bool:
    """Whether it is a tensor that can have a tangent."""
    return isinstance(value, Tensor) and value._array.dtype.kind in DIFFERENTIABLE


def refuse_tangent(number: int, tangent: Tensor | None) -> None:
    """Raises RuntimeError: there is a tangent where the output can have none."""
    if tangent is not None:
        raise RuntimeError(
            f"Function's jvp returned a gradient at position {number}, but  the corresponding forward output is not a differentiable "
            "Tensor. You should return None at that position instead."
        )


def take_written(result: Tensor, tangent: Tensor, versions: dict[int, int]) -> None:
    """The tangent of an output that ``forward`` wrote into: the input's own, written into by ``jvp``.

    Raises:
        RuntimeError: ``jvp`` made a new one.
    """
    before = tangent_of(result)
    if before is None:
        set_tangent(result, tangent, written=True)
    elif tangent._version == versions[id(before)]:
        raise RuntimeError(
            f"An inplace custom Function is not modifying the forward mode gradients inplace. {IN_PLACE}."
        )
    elif tangent is not before:
        raise RuntimeError(
            f"An inplace custom Function is not returning the forward mode gradients as-is. {IN_PLACE} and return the "
            "corresponding gradient as-is."
        )


def shares(result: Tensor, tangent: Tensor, args: tuple[Any, ...]) -> bool:
    """Whether an output that is a view of an argument got a tangent that is a view of the argument's; True for what is no view.

    Raises:
        RuntimeError: the argument has a tangent, and this one is no view of it.
    """
    root = source_of(result)
    matching = [
        a for a in args if isinstance(a, Tensor) and root is not None and any(root is t for t in (a, source_of(a)))
    ]
    if not matching:
        return True
    expected = tangent_of(matching[-1])
    if expected is None:
        return False
    base, wanted = source_of(tangent), source_of(expected)
    if base is None:
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
        )
    if wanted is not None and base is not wanted:
        raise RuntimeError(
            "A custom Function is returning a view but the jvp is not returning a view of the same base as the given grad input."
        )
    if wanted is None and base is not expected:
        raise RuntimeError(
            "A custom Function is returning a view but the jvp is not returning a view of the given grad input."
        )
    return True
