"""Forward mode: a tangent travels beside each value.

Every operator already knows its vjp; a vjp is linear in the incoming gradient, so differentiating it once more, with respect to
that gradient, gives the jvp. `push_forward` does this for one recorded node, which serves every operator and every custom
Function without a ``jvp`` of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.autograd.backward import grad
from engine.autograd.function import Function
from engine.autograd.modes import enable_grad, state
from engine.observe import state as observing
from engine.ops.core.operator import Operator
from engine.tensor import Tensor, wrap


class UnpackedDualTensor(NamedTuple):
    """A value and its tangent (None if it has none)."""

    primal: Tensor
    tangent: Tensor | None


class dual_level:
    """Inside, `make_dual` gives tensors tangents."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exception: object) -> None:
        exit_dual_level()


def enter_dual_level() -> int:
    """Turns forward mode on.

    Raises:
        RuntimeError: levels do not nest.
    """
    if state.forward_level:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    state.forward_level = 1
    state.refresh()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Turns forward mode off; tangents are gone.

    Raises:
        RuntimeError: it was not on, or another level is meant.
    """
    if not state.forward_level:
        raise RuntimeError("Dual level must be a positive number. No level is entered, so none can be left.")
    if level not in (None, 0):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    state.forward_level = 0
    _epoch.number += 1
    state.refresh()


class _set_fwd_grad_enabled:
    """``with _set_fwd_grad_enabled(False)``: inside, results get no tangents."""

    def __init__(self, mode: bool) -> None:
        self.level, state.forward_level = state.forward_level, state.forward_level if mode else 0
        state.refresh()

    def __enter__(self) -> None:
        """Already in force."""

    def __exit__(self, *exception: object) -> None:
        state.forward_level = self.level
        state.refresh()


class _Epoch:
    number = 0


_epoch = _Epoch()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of ``tensor`` that carries ``tangent``.

    Raises:
        RuntimeError: outside a dual level, or for a tangent of another shape.
    """
    if not state.forward_level:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for name, given in (("primal", tensor), ("tangent", tangent)):
        if not (given.is_floating_point() or given.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {given.dtype}")
    if tangent_of(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not supported."
        )
    check_size(tensor, tangent)
    dual = tensor.view_as(tensor)
    dual._tangent = (_epoch.number, tangent)
    return dual


def check_size(tensor: Tensor, tangent: Tensor) -> None:
    """Raises:
    RuntimeError: the tangent has another shape than its tensor.
    """
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
            f"Tensor is of size {list(tensor._array.shape)} while the given forward gradient is of size "
            f"{list(tangent._array.shape)}."
        )


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The value without its tangent, and the tangent."""
    return UnpackedDualTensor(tensor.view_as(tensor) if tensor._tangent is not None else tensor, tangent_of(tensor))


def tangent_of(tensor: Any) -> Tensor | None:
    """The tangent a tensor carries in this level."""
    held = tensor._tangent if isinstance(tensor, Tensor) else None
    return held[1] if held is not None and held[0] == _epoch.number else None


def push_forward(self: Operator, arguments: Sequence[Any], results: list[Tensor]) -> None:
    """Gives the results their tangents: one jvp of this operator."""
    flat = [a for argument in arguments for a in (argument if isinstance(argument, list | tuple) else (argument,))]
    tangents = [tangent_of(a) for a in flat]
    if all(t is None for t in tangents) or not self.differentiable:
        return
    level, state.forward_level = state.forward_level, 0
    listener, observing.listener = observing.listener, None
    recorded = state.grad_enabled and any(isinstance(a, Tensor) and a.requires_grad for a in flat)
    state.refresh()
    try:
        with enable_grad():
            stand_ins = [
                a.detach().requires_grad_() if t is not None and not a.requires_grad else a
                for a, t in zip(flat, tangents, strict=True)
            ]
            outputs = self.run(regrouped(arguments, stand_ins))
            outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
            for output, result in zip(outputs, results, strict=True):
                if self.is_view:
                    result._tangent_source = arguments[0]
                if output.requires_grad:
                    result._tangent = (_epoch.number, jvp_of(output, stand_ins, tangents, recorded))
    finally:
        observing.listener = listener
        state.forward_level = level
        state.refresh()


def jvp_of(output: Tensor, inputs: Sequence[Any], tangents: Sequence[Tensor | None], recorded: bool = False) -> Tensor:
    """The tangent of ``output``, by differentiating its vjp with respect to the incoming gradient.

    ``recorded``: whether the tangent is part of a graph, even if no incoming tangent is.
    """
    seed = wrap(output._array * 0)
    seed.requires_grad_()
    moving = [(i, t) for i, t in zip(inputs, tangents, strict=True) if t is not None]
    gradients = grad(output, [i for i, _ in moving], seed, create_graph=True, allow_unused=True)
    used = [(g, t) for g, (_, t) in zip(gradients, moving, strict=True) if g is not None and g.requires_grad]
    if not used:
        return output.detach() * 0
    create = recorded or any(t.requires_grad for _, t in used if t is not None)
    (tangent,) = grad([g for g, _ in used], seed, [t for _, t in used], create_graph=create, allow_unused=True)
    return wrap(output._array * 0) if tangent is None else tangent


def regrouped(arguments: Sequence[Any], flat: Sequence[Any]) -> tuple[Any, ...]:
    """Puts flattened arguments back into their lists."""
    remaining = iter(flat)
    return tuple([next(remaining) for _ in a] if isinstance(a, list | tuple) else next(remaining) for a in arguments)


def push_forward_custom(cls: type[Function], node: Any, args: tuple[Any, ...], outputs: Any) -> None:
    """Gives a custom Function's outputs the tangents that its ``jvp`` returns.

    Raises:
        RuntimeError: it returns another number of tangents than outputs, or something that is no tangent of its output.
    """
    tangents = [tangent_of(a) for a in args]
    if all(t is None for t in tangents):
        return
    if node.materialize_grads:
        tangents = [
            a.new_zeros(a.shape) if t is None and isinstance(a, Tensor) else t
            for a, t in zip(args, tangents, strict=True)
        ]
    node.in_forward_mode = True
    try:
        with _set_fwd_grad_enabled(False):
            returned = cls.jvp(node, *tangents)
    finally:
        node.in_forward_mode = False
    several = returned if isinstance(returned, tuple) else (returned,)
    results = [o for o in (outputs if isinstance(outputs, tuple) else (outputs,)) if isinstance(o, Tensor)]
    if len(several) != len(results):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(results)} but got {len(several)})"
        )
    for number, (result, tangent) in enumerate(zip(results, several, strict=True)):
        if tangent is None:
            continue
        if not isinstance(tangent, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {number}.")
        check_size(result, tangent)
        result._tangent = (_epoch.number, tangent)


Operator.push_forward = push_forward  # type: ignore[method-assign]
Function._push_forward = classmethod(push_forward_custom)  # type: ignore[assignment]
__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]
