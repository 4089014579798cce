"""What to call tensors that no statement of the snippet made: gradients, copies, and what PyTorch makes inside.

A gradient that a recorded pass computes (``create_graph=True``) is called what it is, ∂loss/∂w.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from engine.trace.document import Tensor, Trace
from engine.trace.events import (
    BackwardEnded,
    BackwardStarted,
    BroadcastUndone,
    GradientReturned,
    HookFired,
    MessageSent,
    MessagesSummed,
    NodeRan,
    Step,
    TensorMade,
)
from engine.trace.labels.operands import behind
from engine.trace.parts import Value
from engine.trace.values import MINUS

UNNAMED = "an unnamed tensor"
NEAR = 6
"""Steps between a tensor that came to be inside of the engine and the one that it is a copy of."""


def unnamed_ones(trace: Trace) -> list[int]:
    """The tensors that have no name yet."""
    return [index for index, tensor in enumerate(trace.tensors) if tensor.label == UNNAMED]


def name_copies(trace: Trace, roles: tuple[str, ...]) -> None:
    """Labels copies: a transform works on one of each argument, and a hook may keep one of what is saved."""
    for index in unnamed_ones(trace):
        tensor = trace.tensors[index]
        if tensor.role not in roles or tensor.base is not None:
            continue
        equal = (
            other for other in reversed(trace.tensors)
            if other.value == tensor.value and UNNAMED not in other.label and other.step < tensor.step + NEAR
        )  # fmt: skip
        twin = next((other for other in equal if other.names or tensor.step - NEAR < other.step), None)
        tensor.label = UNNAMED if twin is None else f"the copy of {twin.label.removeprefix('the copy of ')}"


def swallows(trace: Trace, tensor: Tensor) -> bool:
    """Whether it is what `gradcheck` puts behind an output: no gradient comes back through it."""
    return tensor.grad_fn is not None and trace.nodes[tensor.grad_fn].name == "UndefinedGradBackward"


def name_by_steps(trace: Trace) -> None:
    """Labels tensors that came to be inside of the engine: by what a pass returned or sent, or a hook gave back."""
    for index in unnamed_ones(trace):
        tensor = trace.tensors[index]
        edge = trace.nodes[tensor.grad_fn].edges[0] if tensor.grad_fn is not None and swallows(trace, tensor) else None
        if edge is not None and edge.node is not None:
            before = behind(trace, edge.node, edge.input_nr)
            tensor.label = UNNAMED if before is None else f"UndefinedGrad()({trace.tensors[before].label})"
    waiting = sorted(unnamed_ones(trace), key=lambda index: trace.tensors[index].step)
    seen: list[tuple[Value, str]] = []
    root: int | None = None
    for place, step in enumerate(trace.steps if waiting else ()):
        if isinstance(step, BackwardStarted):
            root = step.roots[0] if len(step.roots) == 1 else None
        seen.extend(handed_on(trace, step, root))
        while waiting and trace.tensors[waiting[0]].step <= place:
            tensor = trace.tensors[waiting.pop(0)]
            elements = None if tensor.value is None else tensor.value.data
            if elements is not None:  # it may have another shape by now
                tensor.label = next((label for value, label in reversed(seen) if value.data == elements), UNNAMED)
    for index in unnamed_ones(trace):
        base = trace.tensors[index].base
        value = trace.tensors[index].value
        if base is not None:
            trace.tensors[index].label = trace.tensors[base].label
        elif value is not None and not value.shape and trace.tensors[index].role == "constant":
            trace.tensors[index].label = value.text.replace(MINUS, "-")  # a plain number that was passed


def handed_on(trace: Trace, step: Step, root: int | None) -> Iterator[tuple[Value, str]]:
    """The values that a step hands on, and what each is: a gradient, or what a hook made of a saved tensor."""
    match step:
        case NodeRan(node=node, gradients=[Value() as value]) if root is not None:
            for output in trace.nodes[node].outputs[:1]:
                yield value, partial(trace, root, output)
        case BroadcastUndone(node=node, slot=slot, value=value) if root is not None:
            edge = trace.nodes[node].edges[slot]
            of = None if edge.node is None else behind(trace, edge.node, edge.input_nr)
            if of is not None:
                yield value, partial(trace, root, of)
        case GradientReturned(tensor=tensor, value=Value() as value) if root is not None:
            yield value, partial(trace, root, tensor)
        case HookFired(hook="saved_pack" | "saved_unpack" as hook, before=before):
            after = before if step.after is None else step.after
            named = next((t.label for t in trace.tensors if t.names and t.value in (after, before)), "")
            if named and after is not None:
                yield after, f"{hook.removeprefix('saved_')}ed {named}"


def named(tensor: Tensor) -> str:
    """The first name; one that starts from ``self`` only when nothing from outside the object is known."""
    return next(
        (name for name in tensor.names if not name.startswith("self.")), tensor.names[0] if tensor.names else ""
    )


class Gradient(NamedTuple):
    """What a tensor is that a recorded pass computed: ∂root/∂of, or the part of it that came through one operation."""

    root: int
    of: int
    through: int | None = None
    """That operation's result, where several paths lead to ``of``; None for the whole gradient."""


def recorded_gradients(trace: Trace) -> dict[int, Gradient]:
    """The tensors that a recorded pass sent as gradients, and added them up to.

    A gradient was computed between the run of its node and the message that carries it, or is what the pass started from.
    """
    found: dict[int, Gradient] = {}
    given = [
        index
        for index, row in enumerate(trace.tensors)
        if row.span is None and row.gradient_of is None and not swallows(trace, row)
    ]
    if not given and not any(isinstance(step, BackwardStarted) and step.create_graph for step in trace.steps):
        return found
    sent_to = Counter(
        (step.call, step.to, step.input_nr) for step in trace.steps if isinstance(step, MessageSent) and step.value
    )
    ends = {step.call: place for place, step in enumerate(trace.steps) if isinstance(step, BackwardEnded)}
    root: int | None = None
    made: list[int] = []
    for start, step in enumerate(trace.steps):
        match step:
            case BackwardStarted(roots=[root], seeds=[seed], span=span, call=call):
                made_for_it = trace.steps[start - 1]
                if isinstance(made_for_it, TensorMade) and (made_for_it.span, made_for_it.value) == (span, seed):
                    found.setdefault(made_for_it.tensor, Gradient(root, root))
                started = root if step.create_graph else None
                end = ends.get(
                    call, len(trace.steps)
                )  # what comes to be after the pass is no part of it, whatever it holds
                during = (index for index in given if start < trace.tensors[index].step <= end)
                first = next((index for index in during if trace.tensors[index].value == seed), None)
                if first is not None:
                    found.setdefault(first, Gradient(root, root))
                root = started
            case BackwardStarted() | BackwardEnded():
                root = None
            case NodeRan():
                made = []
            case TensorMade(tensor=tensor):
                made.append(tensor)
            case MessageSent(node=node, to=to, input_nr=nr, value=value) if root is not None and value is not None:
                of, sent = behind(trace, to, nr), holder(trace, made, value)
                through = trace.nodes[node].outputs[:1] if sent_to[step.call, to, nr] > 1 else []
                if of is not None and sent is not None:
                    found.setdefault(sent, Gradient(root, of, *through))
            case MessagesSummed(node=node, input_nr=nr, value=value) if (
                root is not None and step.arrived == step.expected
            ):
                of, total = behind(trace, node, nr), holder(trace, made, value)
                if of is not None and total is not None:
                    found.setdefault(total, Gradient(root, of))
    return found


def holder(trace: Trace, made: list[int], value: Value) -> int | None:
    """The latest of some tensors that holds a value."""
    return next((tensor for tensor in reversed(made) if trace.tensors[tensor].value == value), None)


def partial(trace: Trace, root: int, tensor: int) -> str:
    """``∂loss/∂w``."""
    above, below = (named(trace.tensors[index]) or trace.tensors[index].label for index in (root, tensor))
    return f"∂{bracketed(above)}/∂{bracketed(below)}"


def called(trace: Trace, gradient: Gradient) -> str:
    """``∂loss/∂w``, and of one path's part ``∂loss/∂w via w * x``."""
    whole = partial(trace, gradient.root, gradient.of)
    if gradient.through is None:
        return whole
    row = trace.tensors[gradient.through]
    return f"{whole} via {named(row) or row.label}"


def bracketed(label: str) -> str:
    """A label that is one thing, or is put in parentheses."""
    return (
        label if label.replace(".", "").replace("_", "").replace("[", "").replace("]", "").isalnum() else f"({label})"
    )
