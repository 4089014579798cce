"""Questions about the graph: what runs next, who gets ``.grad``, what ``grad_fn`` is."""

from __future__ import annotations

import re
from itertools import islice

from engine.trace import events
from engine.trace.document import Question
from engine.trace.marks import code
from engine.trace.narration.amounts import MOST, listed
from engine.trace.narration.telling import Reader
from engine.trace.quiz.draft import Draft

NEAR = 200
"""Nodes, the latest ones, among which wrong answers are looked for."""
FIRST = 40
"""The same for the earliest ones: in a long loop all are of the same operations."""
PRINTS = "<{name} object>"
"""How a node prints, without its address."""


def next_node(reader: Reader, step: events.NodeRan) -> Question | None:
    """Which node runs next?"""
    state = reader.state
    ran = list(state.ran)
    pending = (node for node in state.nodes if node not in state.ran and node not in state.finished)
    waiting = list(islice(pending, FIRST))
    if len(ran) < 2 or not waiting:
        return None
    last = ran[-2]
    draft = Draft("next_node", f"{described(reader, last)} has run. Which node runs next?", state.step)
    draft.right(
        described(reader, step.node),
        "All its messages are in, and among the nodes that are ready it was recorded last.",
    )
    ahead, end = still_to_run(reader, step.call)
    for node in sorted(waiting, key=lambda node: node not in ahead):
        if draft.full:
            break
        if described(reader, node) == described(reader, step.node):
            continue
        if node in ahead:
            sender = next((other for other in (step.node, *sorted(ahead)) if leads_to(reader, other, node)), None)
            draft.wrong(
                described(reader, node),
                "Its message is in, but it was recorded earlier: of the nodes that are ready the latest runs first."
                if sender is None
                else f"It is not ready: it waits for what {described(reader, sender)} will send.",
                reader.trace.nodes[node].step,
            )
        else:
            draft.wrong(described(reader, node), "This pass never runs it: nothing sends it a message.", end)
    for node in ran[: min(FIRST, len(ran) - 1)]:
        if draft.full:
            break
        if described(reader, node) != described(reader, step.node):
            draft.wrong(
                described(reader, node), "It has run already; each node runs once in a pass.", state.ran_at.get(node)
            )
    return draft.question()


def leads_to(reader: Reader, node: int, other: int) -> bool:
    """Whether a node sends to another."""
    return any(edge.node == other for edge in reader.trace.nodes[node].edges)


def still_to_run(reader: Reader, call: int) -> tuple[set[int], int]:
    """The nodes that the running pass has yet to run, and the step that ends it (or the run)."""
    found: set[int] = set()
    for index in range(reader.state.step + 1, len(reader.trace.steps)):
        match reader.trace.steps[index]:
            case events.NodeRan(call=running, node=node) if running == call:
                found.add(node)
            case events.BackwardEnded(call=running) if running == call:
                return found, index
    return found, len(reader.trace.steps) - 1


def described(reader: Reader, node: int) -> str:
    """A node with the operation it came from."""
    row, operation = reader.trace.nodes[node], reader.operation(node)
    return row.name if operation == row.operator else f"{row.name} of {operation}"


def which_get_grad(reader: Reader, step: events.BackwardStarted) -> Question | None:
    """Whose .grad is filled by this pass?"""
    state, trace = reader.state, reader.trace
    steps, call = trace.steps, step.call
    later = range(state.step, len(steps))
    end = next((i for i in later if isinstance(s := steps[i], events.BackwardEnded) and s.call == call), None)
    if step.function != "backward" or end is None or len(step.roots) != 1:
        return None
    during = steps[state.step : end]
    stored = [s for s in during if isinstance(s, events.GradientStored) and s.call == call]
    if any(s.retained for s in stored) or not stored:
        return None
    if state.is_leaf(step.roots[0]):
        return None  # then the start is among the leaves that it fills
    filled = [reader.label(tensor) for tensor in sorted({s.tensor for s in stored}, key=reader.symbol)]
    root = reader.label(step.roots[0])
    nodes = {s.node for s in during if isinstance(s, events.NodeRan) and s.call == call}
    outputs = (output for node in nodes for output in trace.nodes[node].outputs if state.tracked(output))
    passed = sorted({reader.label(output) for output in outputs} - {root})
    draft = Draft("which_get_grad", f"backward() starts from {root}. Whose .grad will it fill?", state.step)
    leaves = f"the {len(filled)} leaves that {root} was computed from"
    draft.right(
        by_name(filled) or leaves, "Only leaves that require grad and that a path leads to keep a gradient.", end
    )
    if passed:
        results = by_name([*passed, root]) or f"{root} and the {len(passed)} results on the way to it"
        draft.wrong(results, "These are results: gradients pass through them and are not kept.", end)
        everything = sorted({reader.label(s.tensor) for s in stored} | set(passed) | {root})
        draft.wrong(
            by_name(everything) or "every tensor in the graph, results included",
            "Results on the way keep none unless retain_grad() was called.",
            end,
        )
    draft.wrong(f"{root} only", f"The pass starts at {root}, which is a result; its .grad stays None.", end)
    draft.wrong("none, until optimizer.step()", "backward() itself fills .grad; step() only reads it.", end)
    untracked = sorted(
        {reader.label(t) for t, tracked in state.requires_grad.items() if not tracked and trace.tensors[t].names}
    )
    if untracked:
        draft.wrong(listed(untracked), "These do not require grad, so no gradient is computed for them.", end)
    return draft.question()


def by_name(labels: list[str]) -> str:
    """All of them by name; empty where they are too many for that, since a choice that ends in "and 3 more" tells no other."""
    return listed(labels) if len(labels) <= MOST else ""


def what_grad_fn(reader: Reader, step: events.NameBound) -> Question | None:
    """What does print(c.grad_fn) show?"""
    state = reader.state
    node = state.grad_fn.get(step.tensor)
    if not reader.trace.tensors[step.tensor].dtype.startswith("float") or step.tensor not in state.values:
        return None
    if is_argument(reader, step):
        return None  # the snippet has another tensor of that name outside
    draft = Draft("grad_fn", f"What is `{step.name}.grad_fn` after this line?", state.step)
    return without_grad_fn(reader, step, draft) if node is None else with_grad_fn(reader, step, draft, node)


def is_argument(reader: Reader, step: events.NameBound) -> bool:
    """Whether the name is a parameter of a function, which a call has just bound."""
    line = reader.source.lines[step.span.line - 1] if step.span is not None else ""
    return re.match(r"\s*(?:async )?def\b|.*\blambda\b", line) is not None


def without_grad_fn(reader: Reader, step: events.NameBound, draft: Draft) -> Question | None:
    """Of a leaf, or of a result that nothing was recorded for."""
    state, trace = reader.state, reader.trace
    made_at = trace.tensors[step.tensor].step
    if state.tracked(step.tensor):
        draft.right("None", f"`{step.name}` is a leaf: you made it, no operation did.")
        fills = "AccumulateGrad fills a leaf's .grad; it is not its grad_fn."
        draft.wrong(PRINTS.format(name="AccumulateGrad"), fills, made_at)
    elif not getattr(trace.steps[made_at], "inputs", None):
        return None
    else:
        draft.right("None", f"`{step.name}` does not require grad, so nothing was recorded for it.")
    for other in reversed(state.nodes[-NEAR:]):
        draft.wrong(
            PRINTS.format(name=trace.nodes[other].name),
            f"That belongs to {reader.operation(other)}; `{step.name}` has no operation behind it.",
            trace.nodes[other].step,
        )
    draft.wrong("0", "A missing grad_fn is None, not a number.")
    draft.wrong(PRINTS.format(name="Tensor"), "grad_fn is a node or None, never a tensor.")
    return draft.question()


def with_grad_fn(reader: Reader, step: events.NameBound, draft: Draft, node: int) -> Question | None:
    """Of a recorded result."""
    state, trace = reader.state, reader.trace
    name, made_at = trace.nodes[node].name, trace.tensors[step.tensor].step
    own = reader.operation(node)
    if own == code(step.name):  # a recorded pass made it: it has no source of its own
        own = reader.text(trace.nodes[node].span) or own
    draft.right(PRINTS.format(name=name), f"`{step.name}` is the result of {own}, which {name} recorded.")
    draft.wrong(
        "None", f"Only leaves and untracked tensors have no grad_fn; `{step.name}` is a tracked result.", made_at
    )
    for other in reversed(state.nodes[-NEAR:]):
        if draft.full:
            break
        row = trace.nodes[other]
        if row.name == name or not row.outputs:
            continue
        operation = reader.operation(other)
        made = reader.label(row.outputs[0]) if operation == own else operation
        if made != own:
            draft.wrong(PRINTS.format(name=row.name), f"That node belongs to {made}.", row.step)
    draft.wrong(PRINTS.format(name="AccumulateGrad"), "AccumulateGrad belongs to leaves.")
    draft.wrong(PRINTS.format(name=name.replace("Backward0", "Forward0")), "grad_fn names the backward step.")
    return draft.question()


def grad_of_result(reader: Reader, step: events.BackwardEnded) -> Question | None:
    """What is .grad of a result after backward()?"""
    state, trace = reader.state, reader.trace
    if getattr(trace.steps[state.started[step.call]], "function", "") != "backward":
        return None  # grad() fills no .grad at all
    for node, ran in state.ran.items():
        outputs = trace.nodes[node].outputs
        value = ran.gradients[0] if len(ran.gradients) == 1 else None
        if (
            len(outputs) != 1
            or value is None
            or not trace.tensors[outputs[0]].names
            or state.grads.get(outputs[0]) is not None
        ):
            continue
        if state.is_leaf(outputs[0]) or not step.reached:
            continue
        label = code(trace.tensors[outputs[0]].names[0])
        at = state.ran_at[node]
        draft = Draft("grad_of_result", f"backward() is over. What is {label}.grad?", state.step)
        draft.right("None", f"{label} is a result, not a leaf: its gradient was passed on and not kept.")
        draft.wrong(
            value.text, f"That gradient did pass through {label}, but only retain_grad() would have kept it.", at
        )
        draft.wrong("0", "0 would be a computed number; nothing was stored.")
        forward = state.value(outputs[0])
        if forward is not None:
            draft.wrong(forward.text, f"That is {label}'s value.", trace.tensors[outputs[0]].step)
        draft.wrong("it raises an error", "Reading it only warns, and gives None.")
        return draft.question()
    return None
