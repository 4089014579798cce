"""Forward mode: a tangent travels beside each value.

Every operator already knows its vjp; a vjp is linear in the incoming gradient, so differentiating it once more, with respect to
that gradient, gives the jvp. `push_forward` does this for one recorded node, which serves every operator and every custom
Function without a ``jvp`` of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.autograd.backward import grad
from engine.autograd.modes import enable_grad, state
from engine.ops.operator import Operator
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
    """Turns forward mode off; tangents are gone."""
    state.forward_level = 0
    _epoch.number += 1
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
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError(
            f"Expected tangent to have the same shape as the primal: {list(tangent._array.shape)} against {list(tensor._array.shape)}"
        )
    dual = tensor.view_as(tensor)
    dual._tangent = (_epoch.number, tangent)
    return dual


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
                if output.requires_grad:
                    result._tangent = (_epoch.number, jvp_of(output, stand_ins, tangents))
    finally:
        state.forward_level = level
        state.refresh()


def jvp_of(output: Tensor, inputs: Sequence[Any], tangents: Sequence[Tensor | None]) -> Tensor:
    """The tangent of ``output``, by differentiating its vjp with respect to the incoming gradient."""
    seed = wrap(output._array * 0)
    seed.requires_grad_()
    moving = [(i, t) for i, t in zip(inputs, tangents, strict=True) if t is not None]
    gradients = grad(output, [i for i, _ in moving], seed, create_graph=True, allow_unused=True)
    used = [(g, t) for g, (_, t) in zip(gradients, moving, strict=True) if g is not None and g.requires_grad]
    if not used:
        return output.detach() * 0
    create = any(t.requires_grad for _, t in used if t is not None)
    (tangent,) = grad([g for g, _ in used], seed, [t for _, t in used], create_graph=create, allow_unused=True)
    return wrap(output._array * 0) if tangent is None else tangent


def regrouped(arguments: Sequence[Any], flat: Sequence[Any]) -> tuple[Any, ...]:
    """Puts flattened arguments back into their lists."""
    remaining = iter(flat)
    return tuple([next(remaining) for _ in a] if isinstance(a, list | tuple) else next(remaining) for a in arguments)


Operator.push_forward = push_forward  # type: ignore[method-assign]
__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]
