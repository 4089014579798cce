"""Claims about tensors: values, leaves, tracking, views, versions, and departures from the graph."""

from __future__ import annotations

import numpy as np

from engine.trace import events
from engine.trace.claims.registry import check, text_of
from engine.trace.parts import Claim
from engine.trace.state import State


@check("value")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.tensor is not None and text_of(state.value(claim.tensor)) == claim.text


@check("shape")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    value = state.value(claim.tensor) if claim.tensor is not None else None
    return value is not None and str(value.shape) == claim.text


@check("leaf")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.tensor is not None and state.is_leaf(claim.tensor) and state.tracked(claim.tensor)


@check("not_leaf")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.tensor is not None and not state.is_leaf(claim.tensor)


@check("tracked")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.tensor is not None and state.tracked(claim.tensor)


@check("untracked")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.tensor is not None and not state.tracked(claim.tensor)


@check("grad_fn")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if claim.tensor is None or claim.node is None:
        return False
    return state.grad_fn.get(claim.tensor) == claim.node and state.trace.nodes[claim.node].name == claim.text


@check("grad_none")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.tensor is not None and state.grads.get(claim.tensor) is None


@check("grad_zero")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    grad = state.grads.get(claim.tensor) if claim.tensor is not None else None
    return grad is None or all(element == 0 for element in grad.data or [])


@check("view")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.tensor is not None and state.trace.tensors[claim.tensor].base == claim.number


@check("version")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.tensor is not None and state.versions.get(claim.tensor) == claim.number


@check("shared")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if not isinstance(step, events.ValueWritten):
        return False
    roots = {state.storage.get(tensor, tensor) for tensor in (step.tensor, *step.shared_with)}
    return len(roots) == 1


@check("counted_apart")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The tensor's version did not change with the written one's, whose storage it shares."""
    if not isinstance(step, events.ValueWritten) or claim.tensor is None or claim.number != step.tensor:
        return False
    return claim.tensor in step.shared_with and state.counter(claim.tensor) != state.counter(step.tensor)


@check("left")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if not isinstance(step, events.GraphLeft) or claim.tensor is None or not state.tracked(claim.tensor):
        return False
    return step.how != "no_grad" or not state.grad_enabled


@check("stretched")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """Broadcasting the shapes of what it was computed from gives its shape."""
    if not isinstance(step, events.TensorMade):
        return False
    shapes = [tuple(state.trace.tensors[tensor].shape) for tensor in step.inputs]
    return str(list(np.broadcast_shapes(*shapes))) == claim.text == str(step.value.shape)


@check("own_forward")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The step lies in the forward of a function that has a node of its own."""
    title = state.trace.scopes[state.holder(step.scope)].title
    made = any(node.name == f"{claim.text}Backward" and node.operator == claim.text for node in state.trace.nodes)
    return made and title.rpartition(".")[0] == claim.text
