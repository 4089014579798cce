"""Checks what the narration asserts: every claim against a replay of the trace (law 5).

`verify` returns the claims that do not hold. The checks read raw events and replayed state,
never the sentences.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from engine.trace import events
from engine.trace import formula as formulas
from engine.trace.document import Trace
from engine.trace.parts import Claim, Formula, Value
from engine.trace.state import State, single

Check = Callable[[State, events.Step, Claim], bool]
CHECKS: dict[str, Check] = {}


def check(says: str) -> Callable[[Check], Check]:
    """Registers the check of one kind of claim."""

    def register(function: Check) -> Check:
        CHECKS[says] = function
        return function

    return register


def verify(trace: Trace) -> list[str]:
    """The claims that do not hold, and sentences without a claim; empty for a sound narration."""
    state = State(trace)
    wrong = []
    for index, step in enumerate(trace.steps):
        state.advance(step)
        if step.text and not step.claims:
            wrong.append(f"step {index}: no claim behind {step.text!r}")
        for claim in step.claims:
            found = CHECKS.get(claim.says)
            if found is None:
                wrong.append(f"step {index}: nobody checks {claim.says!r}")
            elif not found(state, step, claim):
                wrong.append(f"step {index}: {step.text!r} claims {claim}")
    return wrong


def text_of(value: Value | None) -> str | None:
    """A value's text; None for None."""
    return None if value is None else value.text


# ── the program ──────────────────────────────────────────────────────────────────────────────────────────────────────


@check("line")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return step.span is not None and step.span.line == claim.number


@check("times")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    earlier = state.trace.steps[: state.step + 1]
    lines = [other for other in earlier if isinstance(other, events.Line) and other.span == step.span]
    return isinstance(step, events.Line) and len(lines) == claim.number == step.times


@check("scope")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return state.trace.scopes[step.scope].title == claim.text


@check("names")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return state.names.get((state.holder(step.scope), str(claim.text))) == claim.tensor


@check("unnamed")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return (state.holder(step.scope), claim.text) not in state.names


@check("mode")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    modes = {"grad": state.grad_enabled, "inference": state.inference}
    told = isinstance(step, events.ModeChanged) and step.mode == claim.text and int(step.enabled) == claim.number
    return told and modes.get(str(claim.text), step.enabled) == step.enabled  # type: ignore[union-attr]


@check("printed")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.Printed) and (step.stream == "stderr" or step.output in state.trace.stdout)


@check("warned")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.Warned) and step.message == claim.text


@check("kind")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return step.__struct_config__.tag == claim.text


@check("outcome")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return state.step == len(state.trace.steps) - 1 and state.trace.outcome.status == claim.text


@check("folded")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return state.trace.folded == claim.number


# ── tensors ──────────────────────────────────────────────────────────────────────────────────────────────────────────


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


@check("left")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if not isinstance(step, events.GraphLeft) or claim.tensor is None or not state.tracked(claim.tensor):
        return False
    return step.how != "no_grad" or not state.grad_enabled


# ── the graph ────────────────────────────────────────────────────────────────────────────────────────────────────────


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
    nodes = (state.trace.nodes[node] for node in state.nodes if node not in state.finished)
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
    return text_of(state.value(step.tensor)) == step.value


@check("saved_version")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if claim.node is None or claim.tensor is None:
        return False
    saved = state.trace.nodes[claim.node].saved
    kept = any(entry.tensor == claim.tensor and entry.version == claim.number for entry in saved)
    return kept and state.versions.get(claim.tensor, 0) > int(claim.number or 0)


@check("derivative")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if claim.node is None or claim.number is None:
        return False
    return state.trace.nodes[claim.node].edges[int(claim.number)].derivative == claim.text


# ── backward ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@check("call")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return state.call == claim.number or getattr(step, "call", None) == claim.number


@check("seed")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if not isinstance(step, events.BackwardStarted):
        return False
    return any(
        (root, seed.text) == (claim.tensor, claim.text) for root, seed in zip(step.roots, step.seeds, strict=False)
    )


@check("order")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.NodeRan) and list(state.ran).index(step.node) == step.order == claim.number


@check("incoming")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """What a node runs with is the sum of the messages that were sent to it (a hook may have changed it)."""
    if not isinstance(step, events.NodeRan) or claim.text not in map(text_of, step.gradients):
        return False
    arrived = state.arrived.get((step.node, 0), [])
    numbers = [single(message.value) for message in arrived if message.value is not None]
    total = single(step.gradients[0]) if len(step.gradients) == 1 else None
    hooked = any(isinstance(other, events.HookFired) for other in state.trace.steps[: state.step])
    if not numbers or None in numbers or total is None or hooked:
        return True
    return close(sum(number for number in numbers if number is not None), total)


@check("message")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.MessageSent) and text_of(step.value) == claim.text and step.slot == claim.number


@check("arithmetic")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """Both sides of ``1 · 4 = 4`` are the same number, to the digits that are shown."""
    if not isinstance(step, events.MessageSent) or step.formula is None:
        return False
    numeric = [part for part in step.formula.parts if only_numbers(part)]
    values = [number for part in numeric if (number := evaluated(part)) is not None]
    return all(close(value, values[0], 2e-3) for value in values) if values else True


@check("unbroadcast")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.BroadcastUndone) and text_of(step.value) == claim.text


@check("sum")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if not isinstance(step, events.MessagesSummed) or step.arrived != claim.number:
        return False
    columns = step.before.data, step.incoming.data, step.value.data
    if any(column is None for column in columns):
        return True
    rows = zip(*(column or [] for column in columns), strict=True)
    return all(close(float(before) + float(incoming), float(total)) for before, incoming, total in rows)


@check("freed")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.node in state.freed


@check("gradient")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.tensor is not None and text_of(state.grads.get(claim.tensor)) == claim.text


@check("grad_was_none")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if not isinstance(step, events.GradientStored):
        return False
    return step.old is None and len(state.stored_by.get(step.tensor, [])) == 1


@check("accumulated")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if not isinstance(step, events.GradientStored) or step.old is None:
        return False
    columns = step.old.data, step.incoming.data, step.new.data
    if any(column is None for column in columns):
        return True
    rows = zip(*(column or [] for column in columns), strict=True)
    return all(close(float(old) + float(incoming), float(new)) for old, incoming, new in rows)


@check("calculus")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """Every part of the chain ∂d/∂a = 1 + b = 1 + 4 = 5 is the stored number, names replaced by their values."""
    if not isinstance(step, events.GradientStored) or step.formula is None:
        return False
    known: dict[str, float] = {}
    for tensor, value in state.values.items():
        if (element := single(value)) is not None:
            known[formulas.name(state.trace.tensors[tensor].label).text] = element
    expected = single(step.incoming)
    parts = [part for part in step.formula.parts if part.kind != "partial"]
    return expected is not None and all(close(formulas.evaluate(part, known), expected, 2e-3) for part in parts)


@check("returned")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.GradientReturned) and text_of(step.value) == claim.text


@check("broken_off")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    sent = [other for other in state.trace.steps[state.started[state.call] :] if isinstance(other, events.MessageSent)]
    return claim.node in state.ran and all(message.node != claim.node for message in sent[: state.step])


@check("missed")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if claim.tensor is None:
        return False
    place = state.receiver(claim.tensor)
    return place is None or not any(message.value for message in state.arrived.get(place, []))


@check("nonfinite")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.MessageSent) and step.value is not None and step.value.nonfinite == claim.number


def close(left: float, right: float, tolerance: float = 1e-4) -> bool:
    """Equal as floats of the trace's precision go; nan equals nan."""
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return math.isclose(left, right, rel_tol=tolerance, abs_tol=1e-6)


def only_numbers(formula: Formula) -> bool:
    """Whether it has no names."""
    return formula.kind not in ("name", "partial") and all(map(only_numbers, formula.parts))


def evaluated(formula: Formula) -> float | None:
    """Its number; None where it is no arithmetic of single numbers."""
    try:
        return formulas.evaluate(formula, {})
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
