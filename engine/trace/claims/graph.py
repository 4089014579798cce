"""Claims about nodes: what made them, what they lead to, what they saved and how they explain themselves."""

from __future__ import annotations

from engine.trace import events
from engine.trace.claims.registry import check, text_of
from engine.trace.parts import Claim
from engine.trace.state import State


@check("graph_size")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return len(state.nodes) == claim.number


@check("node")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.node in state.nodes and state.trace.nodes[claim.node or 0].name == claim.text


@check("explains")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.node is not None and state.trace.nodes[claim.node].explains == claim.text


@check("accumulator")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.node is not None and state.trace.nodes[claim.node].leaf == claim.tensor


@check("edge")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if claim.node is None or claim.tensor is None:
        return False
    return any(edge.tensor == claim.tensor and edge.node is not None for edge in state.trace.nodes[claim.node].edges)


@check("fed_by")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    living = (node for node in state.nodes if node not in state.finished and state.is_own_use(node))
    nodes = (state.trace.nodes[node] for node in living)
    place = state.receiver(claim.tensor) if claim.tensor is not None else None
    return sum((edge.node, edge.input_nr) == place for node in nodes for edge in node.edges) == claim.number


@check("saved")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if claim.node is None:
        return False
    saved = state.trace.nodes[claim.node].saved
    if not any(entry.name == claim.text and entry.tensor == claim.tensor for entry in saved):
        return False
    if not isinstance(step, events.TensorSaved) or step.tensor is None or not step.value:
        return True
    return without_dtype(text_of(state.value(step.tensor)) or "") == without_dtype(step.value)


@check("written_over")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The node takes a tensor and gives the same tensor back: a write in place made it."""
    if claim.node is None:
        return False
    row = state.trace.nodes[claim.node]
    return claim.tensor in row.outputs and any(edge.tensor == claim.tensor for edge in row.edges)


@check("written_later")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The node was a tensor's grad_fn, and another is by now."""
    if claim.node is None or claim.tensor is None:
        return False
    return claim.tensor in state.trace.nodes[claim.node].outputs and state.grad_fn.get(claim.tensor) != claim.node


@check("saved_version")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if claim.node is None or claim.tensor is None:
        return False
    saved = state.trace.nodes[claim.node].saved
    kept = any(entry.tensor == claim.tensor and entry.version == claim.number for entry in saved)
    return kept and state.version(claim.tensor) > int(claim.number or 0)


@check("saved_unnoticed")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The node holds the tensor, whose numbers were written over just now, and its version is the saved one still."""
    if claim.node is None or claim.tensor is None or not isinstance(step, events.ValueWritten):
        return False
    saved = [entry for entry in state.trace.nodes[claim.node].saved if entry.tensor == claim.tensor]
    unchanged = any(entry.version == state.versions.get(claim.tensor, 0) for entry in saved)
    return unchanged and claim.node not in state.freed and claim.tensor in step.shared_with


@check("stands_for")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The symbol is the label of one of the node's results, arguments or saved tensors."""
    if claim.node is None or claim.tensor is None:
        return False
    row = state.trace.nodes[claim.node]
    given = [*row.outputs, *(edge.tensor for edge in row.edges), *(saved.tensor for saved in row.saved)]
    return claim.tensor in given and state.trace.tensors[claim.tensor].label == claim.text


@check("derivative")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if claim.node is None or claim.number is None:
        return False
    return state.trace.nodes[claim.node].edges[int(claim.number)].derivative == claim.text


def without_dtype(text: str) -> str:
    """A value's text as sentences use it: ``[64, 10]`` of ``float32 [64, 10]`` (``.double()`` converts in silence)."""
    return text if text.startswith("[") else text.partition(" ")[2] or text
