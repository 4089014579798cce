"""Why a gradient that came is all zeros: which node of the pass made zeros out of something else, and by what."""

from __future__ import annotations

import re
from collections import defaultdict

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.places import innermost_module
from engine.trace.diagnosis.tensors.departures import RANDOM
from engine.trace.diagnosis.tensors.flats import why_flat
from engine.trace.diagnosis.tensors.zeroing_hooks import made_zero_by_hook
from engine.trace.document import Node
from engine.trace.elements import is_zero
from engine.trace.marks import code
from engine.trace.parts import Value

PRODUCTS = frozenset(
    {"mul", "mm", "bmm", "mv", "dot", "vdot", "addmm", "addmv", "baddbmm", "addbmm", "addcmul", "outer"}
)
"""Operators whose derivative for one factor is a product with the other: they are flat nowhere."""
DROPOUT = re.compile(r"[^(]*\bdropout\(|.*\((?:Alpha|FeatureAlpha)?Dropout[123]?d?\)")
"""A call of dropout, or the title of one of its layers."""
SPREADING = frozenset({"expand", "repeat", "broadcast_to"})
"""Operators whose derivative adds up over copies."""

INTO_COPY = "Write into a copy (`clone()`) where the values from before are still to count."
"""What to do where a write took values that were still needed."""


def made_zero(history: History, tensor: int, stored: events.GradientStored, step: int) -> Answer | None:
    """The answer for a gradient of zeros that a pass stored; None where no single node made it so.

    Zeros that two contributions add up to are no node's doing: ``None`` leaves them to the ledger.
    """
    if not is_zero(stored.incoming) or stored.node is None:
        return None
    stop = _guilty(history, stored, step)
    if stop is None:
        return made_zero_by_hook(history, tensor, stored, step) or taken_away(history, tensor, stored, step)
    index, message = stop
    row = history.trace.nodes[message.node]
    before = history.trace.steps[index - 1]
    undone = isinstance(before, events.BroadcastUndone) and (before.node, before.slot) == (message.node, message.slot)
    why, fix = _why(history, tensor, row, message, added_up=undone or row.operator in SPREADING)
    return Answer(
        "zero_gradient",
        f"{history.label(tensor)}.grad is 0, not None: a gradient came, and {row.name} "
        f"({history.quoted(row.span)}, {history.line_of(row.step)}) made it 0, because {why}.",
        fix,
        index,
        row.span,
    )


def _guilty(history: History, stored: events.GradientStored, step: int) -> tuple[int, events.MessageSent] | None:
    """The first message of zeros, on the way to what was stored, whose sender had got something else."""
    sent: dict[int, list[tuple[int, events.MessageSent]]] = defaultdict(list)
    arrived: dict[int, list[Value | None]] = {}
    start = next(task.start for task in reversed(history.passes) if task.call == stored.call)
    for index in range(start, step):
        match history.trace.steps[index]:
            case events.MessageSent(call=stored.call) as message:
                sent[message.to].append((index, message))
            case events.NodeRan(call=stored.call, node=node, gradients=gradients):
                arrived[node] = list(gradients)
    found: list[tuple[int, events.MessageSent]] = []
    waiting, seen = [stored.node], {stored.node}
    for receiver in waiting:
        for index, message in sent[receiver or 0]:
            if message.value is not None and not is_zero(message.value):
                return None  # what came by this path is no zero: another path took it away
            if any(value is not None and not is_zero(value) for value in arrived.get(message.node, ())):
                found.append((index, message))
            elif message.node not in seen:
                seen.add(message.node)
                waiting.append(message.node)
    return min(found, default=None, key=lambda entry: entry[0])


def taken_away(history: History, tensor: int, stored: events.GradientStored, step: int) -> Answer | None:
    """The answer where gradients that come to a result by several ways add up to 0: ``h + (h.sign() - h)``."""
    summed: dict[int, tuple[int, events.MessagesSummed]] = {}
    sent: dict[int, list[tuple[int, events.MessageSent]]] = defaultdict(list)
    start = next(task.start for task in reversed(history.passes) if task.call == stored.call)
    for index in range(start, step):
        match history.trace.steps[index]:
            case events.MessageSent(call=stored.call) as message:
                sent[message.to].append((index, message))
            case events.MessagesSummed(call=stored.call) as total:
                if not is_zero(total.before):
                    summed[total.node] = (index, total)
    waiting = [stored.node or 0]
    for receiver in waiting:
        if receiver in summed and is_zero(summed[receiver][1].value) and receiver != stored.node:
            at = summed[receiver][0]
            row = history.trace.nodes[receiver]
            last = next(m for index, m in reversed(sent[receiver]) if index < at and m.value is not None)
            sender = history.trace.nodes[last.node]
            return Answer(
                "zero_gradient",
                f"{history.label(tensor)}.grad is 0, not None: what comes to {history.label(row.outputs[0])} "
                f"({history.line_of(row.step)}) by several ways cancels out: {sender.name} ({history.quoted(sender.span)}, "
                f"{history.line_of(sender.step)}) takes away what the others bring.",
                "Let one way alone carry the gradient: `detach()` what shall count by its value only, as in "
                "`x + (hard - x).detach()`.",
                at,
                sender.span,
            )
        waiting += [message.node for _, message in sent[receiver] if message.node not in waiting]
    return None


def _why(history: History, tensor: int, row: Node, message: events.MessageSent, added_up: bool) -> tuple[str, str]:
    """What made the zeros, and what to do."""
    if row.operator in RANDOM:
        return (
            "a draw has no derivative",
            "Compute the draw from its parameters: `mean + std * torch.randn_like(std)`, or use rsample().",
        )
    if row.edges[message.slot].tensor in row.outputs:
        return (
            "what was there before is overwritten",
            INTO_COPY,
        )
    overwritten = _overwritten(history, row, message)
    if overwritten is not None:
        return f"what it had saved was overwritten on {history.line_of(overwritten)}", INTO_COPY
    label = history.label(tensor)
    if row.operator == "mul" and _dropped(history, row):
        return (
            "dropout left none of its inputs there",
            "Use a smaller `p`: it is the part of the inputs that dropout takes out.",
        )
    if row.operator in PRODUCTS and not added_up and (factor := _zero_factor(history, row, message)):
        return (
            f"it multiplies by {factor}",
            f"While that factor is 0, {label} does not move the result: give the factor other values if it should.",
        )
    if added_up or row.operator in PRODUCTS:
        return (
            "what arrived adds up to 0" if added_up else "its products with what arrived add up to 0",
            f"The result does not move with {label}: what it adds in one place it takes away in another.",
        )
    flat = why_flat(history, row)
    return flat.why, flat.fix


def _overwritten(history: History, row: Node, message: events.MessageSent) -> int | None:
    """The last step that wrote into what the node had saved, before it sent the message: autograd sees no write through ``.data``."""
    sent = next(index for index, step in enumerate(history.trace.steps) if step is message)
    wrote = [
        index
        for saved in row.saved
        if saved.tensor is not None and (at := history.saved_at.get((message.node, saved.name))) is not None
        for index, _ in history.written[saved.tensor]
        if at < index < sent
    ]
    return max(wrote, default=None)


def _dropped(history: History, row: Node) -> bool:
    """Whether a product is dropout's own, by the layer or the function that made it."""
    module = innermost_module(history, row.scope)
    layer = history.trace.scopes[module].title if module is not None else ""
    return DROPOUT.search(layer) is not None or DROPOUT.match(history.text(row.span)) is not None


def _zero_factor(history: History, row: Node, message: events.MessageSent) -> str:
    """``h (line 4), which is 0``: what the node saved besides the argument that the message goes to, if it is all zeros.

    A view is told by the tensor whose numbers it shows, and that by the line which wrote its zeros.
    """
    node = message.node
    for saved in row.saved:
        if saved.tensor is None:
            if saved.text in ("0", "0.0"):
                return "0"
            continue
        at = history.saved_at.get((node, saved.name), history.last)
        value = history.value(saved.tensor, at)
        if value is not None and is_zero(value):
            tensor = _owner(history, saved.tensor, at)
            wrote = [index for index, _ in history.written[tensor] if index <= at]
            line = history.line_of(wrote[-1] if wrote else history.made.get(tensor))
            return f"{code(history.trace.tensors[tensor].label)} ({line}), which is 0"
    return ""


def _owner(history: History, tensor: int, step: int) -> int:
    """The tensor that a view shows, as long as that is all zeros too."""
    base = history.trace.tensors[tensor].base
    while base is not None and (value := history.value(base, step)) is not None and is_zero(value):
        tensor, base = base, history.trace.tensors[base].base
    return tensor
