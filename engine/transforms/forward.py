"""Forward mode: a tangent travels beside each value.

Every operator already knows its vjp; a vjp is linear in the incoming gradient, so differentiating it once more, with respect to
that gradient, gives the jvp. `push_forward` does this for one recorded node, which serves every operator and every custom
Function without a ``jvp`` of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.autograd.backward import grad
from engine.autograd.forward_switch import _set_fwd_grad_enabled
from engine.autograd.function import Function
from engine.autograd.modes import set_grad_enabled, state
from engine.observe import state as observing
from engine.ops.core.operator import Operator
from engine.ops.core.tangents import hold, tangent_of, tell_node
from engine.ops.pointwise.flat import zeros
from engine.tensor import Tensor, wrap
from engine.transforms.custom_forward import push_forward_custom
from engine.transforms.forward_formulas import FORMULAS, Moving
from engine.transforms.primal import primal_of


def push_forward(self: Operator, arguments: Sequence[Any], results: list[Tensor]) -> None:
    """Gives the results their tangents: one jvp of this operator; a view's tangent is the same view of the tangent.

    Inference mode turns this off, as it turns off recording.
    """
    if state.inference:
        return
    flat = [a for argument in arguments for a in (argument if isinstance(argument, list | tuple) else (argument,))]
    tangents = [tangent_of(a) for a in flat]
    if all(t is None for t in tangents) or not self.differentiable:
        return
    recording = state.grad_enabled
    recorded = recording and any(isinstance(a, Tensor) and a.requires_grad for a in flat)
    with _set_fwd_grad_enabled(False), observing.silent(), set_grad_enabled(recording or not self.is_view):
        if self.is_view:
            parts = self.run((tangents[0], *arguments[1:]))
            for result, part in zip(results, parts if isinstance(parts, tuple) else (parts,), strict=True):
                hold(result, part)
            return
        if self.class_name in FORMULAS:
            with set_grad_enabled(recording):
                tangent = FORMULAS[self.class_name](Moving(flat, tangents, recorded), results[0])
            keep(results[0], tangent, tangents)
            return
        if recorded:
            tangents = with_zeros(self, arguments, flat, tangents)
        stand_ins = [stand_in(a) if t is not None else a for a, t in zip(flat, tangents, strict=True)]
        outputs = self.run(regrouped(arguments, stand_ins))
        outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
        for output, result in zip(outputs, results, strict=True):
            if output.requires_grad:
                keep(result, derived(self, output, stand_ins, tangents, (recorded, recording)), tangents)


def with_zeros(
    operator: Operator, arguments: Sequence[Any], flat: Sequence[Any], tangents: Sequence[Tensor | None]
) -> list[Tensor | None]:
    """Zeros for operands that do not move: PyTorch's formulas have a term for each operand, through which the tangent may require grad."""
    operands = {id(arguments[place]) for place in operator.differentiable if isinstance(arguments[place], Tensor)}
    return [
        wrap(np.zeros(a._array.shape, a._array.dtype))
        if t is None and id(a) in operands and a._array.dtype.kind in "fcV"
        else t
        for a, t in zip(flat, tangents, strict=True)
    ]


def keep(result: Tensor, tangent: Tensor | None, given: Sequence[Tensor | None]) -> None:
    """Gives a result the tangent that was found for it (None: there is none) from those of its arguments."""
    if tangent is not None:
        hold(result, own(tangent, given))
        tell_node(result)


def own(tangent: Tensor, given: Sequence[Tensor | None]) -> Tensor:
    """The tangent in memory of its own: a write to the result must not change the tangent of what it was computed from."""
    shared = any(t is not None and np.may_share_memory(t._array, tangent._array) for t in given)
    return tangent.clone() if shared else tangent


def stand_in(tensor: Tensor) -> Tensor:
    """A tracked tensor of the same values; one that leads on to the tensor if that is tracked.

    Never the tensor itself: one argument may depend on another, and each derivative is with respect to one place only.
    """
    if tensor.requires_grad:
        return primal_of(tensor)
    tracked = wrap(tensor._array) if tensor._inference else tensor.detach()
    return tracked._tracked()


def derived(
    operator: Operator,
    output: Tensor,
    inputs: Sequence[Any],
    tangents: Sequence[Tensor | None],
    modes: tuple[bool, bool],
) -> Tensor:
    """`jvp_of`, in PyTorch's words where there is no derivative to build on.

    Raises:
        NotImplementedError: the operator's vjp, or that vjp's own, is one that PyTorch does not have either.
    """
    try:
        return jvp_of(output, inputs, tangents, *modes)
    except RuntimeError as error:  # NotImplementedError is one
        if "is not implemented" not in str(error):
            raise
        raise NotImplementedError(
            f"Trying to use forward AD with {operator.name} that does not support it: its own derivative is missing ({error})"
        ) from error


def jvp_of(
    output: Tensor,
    inputs: Sequence[Any],
    tangents: Sequence[Tensor | None],
    recorded: bool = False,
    recording: bool = True,
) -> Tensor:
    """The tangent of ``output``, by differentiating its vjp with respect to the incoming gradient.

    Args:
        recorded: whether the tangent is part of a graph, even if no incoming tangent is.
        recording: whether it may be part of one at all.
    """
    seed = wrap(output._array * 0)
    seed._tracked()
    moving = [(i, t) for i, t in zip(inputs, tangents, strict=True) if t is not None]
    gradients = grad(output, [i for i, _ in moving], seed, create_graph=True, allow_unused=True)
    used = [(g, t) for g, (_, t) in zip(gradients, moving, strict=True) if g is not None and g.requires_grad]
    if not used:
        return zeros(output)
    create = recording and (recorded or any(t.requires_grad for _, t in used if t is not None))
    (tangent,) = grad([g for g, _ in used], seed, [t for _, t in used], create_graph=create, allow_unused=True)
    return zeros(output) if tangent is None else tangent


def regrouped(arguments: Sequence[Any], flat: Sequence[Any]) -> tuple[Any, ...]:
    """Puts flattened arguments back into their lists."""
    remaining = iter(flat)
    return tuple([next(remaining) for _ in a] if isinstance(a, list | tuple) else next(remaining) for a in arguments)


Operator.push_forward = push_forward
Function._push_forward = classmethod(push_forward_custom)  # type: ignore[assignment]  # the hook that it left open
