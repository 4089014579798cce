"""Claims about backward passes: seeds, messages and their arithmetic, sums, gradients stored."""

from __future__ import annotations

import re

from engine.trace import events
from engine.trace import formula as formulas
from engine.trace.agreement import close, numbers_of, tolerance_of
from engine.trace.claims.numbers import only_numbers, same_sums
from engine.trace.claims.registry import check, text_of
from engine.trace.elements import single
from engine.trace.parts import Claim
from engine.trace.state import State


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


@check("asked")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.BackwardStarted) and claim.tensor in (step.inputs or [])


@check("latest_first")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """No node of this pass hears anything once it has run; of two that were ready, the one made later ran first."""
    steps = state.trace.steps
    ran: dict[int, int] = {}
    ready: dict[int, int] = {}
    for index in range(state.step, len(steps)):
        match steps[index]:
            case events.NodeRan(call=claim.number, node=node):
                ran[node] = index
            case events.MessageSent(call=claim.number, to=to):
                if to in ran:
                    return False
                ready[to] = index
            case events.BackwardEnded(call=claim.number):
                break
    numbers = {node: state.trace.nodes[node].sequence_nr for node in ran if state.trace.nodes[node].leaf is None}
    pairs = ((first, second) for first in numbers for second in numbers if ran[first] < ran[second])
    return all(
        numbers[first] >= numbers[second] or ready.get(second, state.step) > ran[first] for first, second in pairs
    )


@check("retains")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The pass was told to keep, and frees nothing."""
    kept = isinstance(step, events.BackwardStarted) and step.retain_graph
    freed = (other for other in state.trace.steps[state.step :] if isinstance(other, events.BuffersFreed))
    return kept and all(other.call != claim.number for other in freed)


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
    started = state.trace.steps[state.started[step.call]]
    if isinstance(started, events.BackwardStarted) and set(started.roots) & set(state.trace.nodes[step.node].outputs):
        return True  # what the pass starts with there is no message
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
    """Every part with numbers of ``1 · 4 = 4`` gives the gradient that was sent, to the digits that are shown."""
    if not isinstance(step, events.MessageSent) or step.formula is None:
        return False
    sent = numbers_of(step.value, or_complex=True)
    if sent is None or step.value is None:
        return True
    numeric = [part for part in step.formula.parts if only_numbers(part)]
    return all(formulas.gives(part, sent, 2 * tolerance_of(step.value)) is not False for part in numeric)


@check("unbroadcast")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.BroadcastUndone) and text_of(step.value) == claim.text


@check("sum")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if not isinstance(step, events.MessagesSummed) or step.arrived != claim.number:
        return False
    return same_sums(step.before, step.incoming, step.value)


@check("waits")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """So many messages are still to come to the place before its node runs."""
    return isinstance(step, events.MessagesSummed) and step.expected - step.arrived == claim.number


@check("used")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """As many of the nodes that have run lead to the place, and each has sent its message."""
    if not isinstance(step, events.MessagesSummed):
        return False
    place = (step.node, step.input_nr)
    edges = [edge for node in state.ran for edge in state.trace.nodes[node].edges]
    sent = state.arrived.get(place, [])
    return len(sent) == claim.number == sum((edge.node, edge.input_nr) == place for edge in edges)


@check("starts_there_too")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The pass that the messages belong to has the tensor among its roots."""
    started = state.trace.steps[state.started[state.call]]
    return isinstance(started, events.BackwardStarted) and claim.tensor in started.roots


@check("not_retained")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The node is freed, by a pass that was not told to keep."""
    started = state.trace.steps[state.started[state.call]]
    kept = not isinstance(started, events.BackwardStarted) or started.retain_graph
    return claim.node in state.freed and state.call == claim.number and not kept


@check("freed_in_pass")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    freed = [call for call, _ in state.freed.values() if call == state.call]
    return isinstance(step, events.BackwardEnded) and step.freed and 0 < len(freed) <= int(claim.number or 0)


@check("nothing_stored")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    stored = (other for other in state.trace.steps[state.started[state.call] : state.step + 1])
    return not any(isinstance(other, events.GradientStored) and other.call == claim.number for other in stored)


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
    return same_sums(step.old, step.incoming, step.new)


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
    so_far = state.trace.steps[state.started[state.call] : state.step + 1]
    sent = (other.node for other in so_far if isinstance(other, events.MessageSent))
    return claim.node in state.ran and claim.node not in sent


@check("freed_earlier")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """Another pass than the one that is over has freed the node."""
    freed = state.freed.get(claim.node) if claim.node is not None else None
    return freed is not None and freed[0] == claim.number != state.call


@check("missed")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.tensor is not None and not reached(state, claim.tensor)


@check("reached")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return claim.tensor is not None and reached(state, claim.tensor)


def reached(state: State, tensor: int) -> bool:
    """Whether a message with a gradient has arrived where the tensor's are collected."""
    place = state.receiver(tensor)
    return place is not None and any(message.value for message in state.arrived.get(place, []))


@check("path")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """Whether nodes lead from a root of the pass to the tensor, found by going back from the tensor."""
    started = state.trace.steps[state.started[state.call]]
    place = state.receiver(claim.tensor) if claim.tensor is not None else None
    roots = {state.receiver(root) for root in getattr(started, "roots", [])}
    reached, behind = {place}, set[int]()
    while reached - roots:
        users = {
            index
            for index, row in enumerate(state.trace.nodes)
            if any((edge.node, edge.input_nr) in reached for edge in row.edges)
        }
        if users <= behind:
            break
        behind |= users
        reached = {
            (index, output) for index in behind for output in range(max(1, len(state.trace.nodes[index].outputs)))
        }
        if reached & roots:
            return bool(claim.number)
    return not claim.number


@check("nonfinite")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.MessageSent) and step.value is not None and step.value.nonfinite == claim.number


@check("own_function")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The node ran a method of the snippet's: it has a scope of its own."""
    return any(scope.kind == "function" and scope.title == claim.text for scope in state.trace.scopes)


@check("ignores_gradient")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The lines of the function's backward() do not mention what its head takes beside ``ctx``."""
    body = state.trace.code.partition(f"class {claim.text}(")[2].partition("def backward(")[2]
    head, _, rest = body.partition("):")
    rest = re.split(r"\n(?=\S)|\n\s+@?(?=def |staticmethod)", rest)[0]
    names = [name.partition(":")[0].strip() for name in head.split(",")[1:]]
    return bool(names) and not any(re.search(rf"\b{re.escape(name)}\b", rest) for name in names)


@check("own_derivative")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The node is of a class that the snippet defines."""
    name = str(claim.text).rpartition(".")[2]
    row = state.trace.nodes[claim.node] if claim.node is not None else None
    defined = any(line.split()[:1] == ["class"] and name in line for line in state.trace.code.splitlines())
    return row is not None and defined and row.name == f"{claim.text}Backward" and row.operator == claim.text


@check("replaced_by_hook")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """A hook of that name ran just before, was given something else, and gave what is sent."""
    hook = state.trace.steps[state.step - 1]
    if not isinstance(step, events.MessageSent) or not isinstance(hook, events.HookFired):
        return False
    return hook.function == claim.text and hook.before != hook.after == step.value


@check("sees")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.HookFired) and text_of(step.before) == claim.text


@check("hooked")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.HookFired) and text_of(step.after) == claim.text


@check("recorded_pass")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return state.passes_recorded() and state.call == claim.number
