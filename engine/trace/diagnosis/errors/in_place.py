"""Writes in place that autograd forbids or cannot bear: what was written, where, and what needed the old numbers."""

from __future__ import annotations

import re

from engine.trace import events
from engine.trace.diagnosis.answer import Answer, Found
from engine.trace.diagnosis.calls import clears
from engine.trace.diagnosis.errors.ties import tied
from engine.trace.diagnosis.history import History, Pass
from engine.trace.diagnosis.mistakes.kept import turns_reached
from engine.trace.diagnosis.places import innermost_module
from engine.trace.marks import code
from engine.trace.parts import Span
from engine.trace.state import State


def modified(history: History, state: State) -> Found:
    """Saved here, overwritten there, needed now, with versions."""
    failed = history.passes[-1] if history.passes else None
    for node in reversed(state.ran):
        row = history.trace.nodes[node]
        for saved in row.saved:
            if saved.tensor is None or saved.version is None:
                continue
            at = history.saved_at.get((node, saved.name), row.step)
            write = _write_after(history, saved.tensor, at)
            if write is None:
                continue
            step, version = write
            label = history.label(saved.tensor)
            needed = history.line_of(failed.start) if failed is not None else "backward"
            text = (
                f"{row.name} saved {label} at version {saved.version} on {history.line_of(at)}; "
                f"{_writer(history, step)} on {history.line_of(step)} wrote into it ({version}); backward on "
                f"{needed} needs what was there."
            )
            fix = (failed and _cut(history, failed, step)) or _instead(history, step, saved.tensor)
            return saved.tensor, Answer("modified_in_place", text, fix, step, history.trace.steps[step].span)
    return None


def _write_after(history: History, tensor: int, step: int) -> tuple[int, str] | None:
    """(step, version then, in words) of the first write into a tensor's storage after a step."""
    base = history.trace.tensors[tensor].base
    same = (tensor, base)
    found: list[tuple[int, str]] = [
        (index, f"version {write.version_after}")
        for other in same
        if other is not None
        for index, write in history.written[other]
        if index > step and not unnoticed(history, write.tensor)
    ]
    for index, stepped in history.steps:
        if index > step and any(change.tensor in same for change in stepped.changes):
            found.append((index, "one version higher"))
    return min(found, key=lambda write: write[0], default=None)


def unnoticed(history: History, tensor: int) -> bool:
    """Whether it came from ``.data``, whose writes raise no version of the tensor it was taken from."""
    current: int | None = tensor
    while current is not None:
        left = history.trace.steps[history.left_with[current]] if current in history.left_with else None
        if isinstance(left, events.GraphLeft) and left.how == "data":
            return True
        current = history.trace.tensors[current].base
    return False


EMBEDDINGS = frozenset({"Embedding", "EmbeddingBag"})
"""Layers that write into their own weight: with ``max_norm`` a look-up shortens the rows that are too long."""


def _writer(history: History, step: int) -> str:
    """Who wrote: a layer that works in place by its name, else the statement."""
    layer = _layer(history, step)
    if layer is not None:
        how = "max_norm" if layer[1] in EMBEDDINGS else "inplace=True"
        return f"{code(layer[0])} ({layer[1] + ', ' if layer[1] else ''}`{how}`)"
    span = history.trace.steps[step].span
    return code(statement(history, span)) if span is not None else "an optimizer"


def _layer(history: History, step: int) -> tuple[str, str] | None:
    """(name, class) of the layer inside which a step happened, where the snippet calls no such write itself."""
    event = history.trace.steps[step]
    module = innermost_module(history, event.scope)
    if module is None or not isinstance(event, events.ValueWritten) or event.scope != module:
        return None
    name, _, kind = history.trace.scopes[module].title.partition(" (")
    return name, kind.rstrip(")")


def _cut(history: History, failed: Pass, step: int) -> str:
    """For an update that an earlier turn's graph cannot bear: where that graph should have been cut off."""
    turn, earlier = turns_reached(history, failed)
    if turn is None or not earlier or not isinstance(history.trace.steps[step], events.OptimizerStepped):
        return ""
    _, _, cut = tied(history, min(earlier.values()), turn)
    return f"Cut the tie to the turns before, {cut}. Then `retain_graph=True` is not needed."


def _instead(history: History, step: int, tensor: int) -> str:
    """The change that mends a write."""
    if isinstance(history.trace.steps[step], events.OptimizerStepped):
        owner = history.text(history.trace.steps[step].span).partition(".step(")[0] or "optimizer"
        return f"Run every backward() that needs the old parameters before `{owner}.step()`, or compute the loss again after it."
    layer = _layer(history, step)
    if layer is not None:
        if layer[1] in EMBEDDINGS:
            return f"Compute what comes before the look-up from a copy: `{layer[0]}.weight.clone()`."
        return f"Make {code(layer[0])} without inplace=True."
    whole = history.trace.tensors[tensor].base
    whole = tensor if whole is None else whole
    if history.is_leaf(whole, step) and history.tracked(whole, step):
        return (
            f"Run every backward() that needs the old numbers of {history.label(whole)} before they are written over, or compute "
            "the loss again after it."
        )
    event = history.trace.steps[step]
    name = history.expression(event.tensor if isinstance(event, events.ValueWritten) else tensor)
    text = statement(history, event.span)
    target = re.match(r"([\w.]+)\s*([-+*/])=\s*(.+)", text)
    if target:
        written, operator, rest = target.groups()
        return f"Make a new tensor instead of writing into the old one: `{written} = {written} {operator} {rest}`."
    copy = f"`{name}.clone()`" if name is not None else "a clone() of it"
    part = re.match(r"([\w.]+)\[", text)
    read = re.search(rf"=.*?({re.escape(part[1])}\[[^\[\]]*\])", text) if part is not None else None
    if read is not None:  # what is saved is a view of what is written: a copy of the whole would be written as well
        return f"Compute with a copy of what is read, `{read[1]}.clone()`, or collect the parts in a list and torch.stack them."
    if part is not None:
        return f"Write into a copy, `{part[1]}.clone()`, or collect the parts in a list and torch.stack them."
    return f"Use the form that makes a new tensor (without the underscore), or write into {copy}."


def leaf_written(history: History, state: State) -> Found:
    """A write into a leaf while recording."""
    text = statement(history, history.trace.outcome.span)
    path = re.match(r"[\w.]+(?:\[[^\]]*\])?", text)
    name = path[0] if path else ""
    tensor = None
    while tensor is None and name:
        tensor = history.named(name)
        name = name if tensor is not None else re.sub(r"(\.\w+|\[[^\]]*\]|^\w+)$", "", name)
    whom = f"{history.label(tensor)}, a leaf that requires grad" if tensor is not None else "a leaf that requires grad"
    if tensor is not None and history.trace.tensors[tensor].base is not None:
        whom = f"{history.label(tensor)}, a view of a leaf that requires grad"
    owner = history.expression(tensor) if tensor is not None else None
    if owner is not None and ".grad" in text:  # an update by hand: a new tensor would lose the leaf
        fix = "Put it under `with torch.no_grad()`" + (
            "." if clears(history, owner) else f", and clear `{owner}.grad` after it."
        )
    else:
        fix = "Put it under `with torch.no_grad()`, or make a new tensor and leave the leaf as it is."
    return tensor, Answer(
        "leaf_written",
        f"{code(text)} writes into {whom}. Recorded, the leaf would no longer be one.",
        fix,
        history.last,
        history.trace.outcome.span,
    )


def statement(history: History, span: Span | None) -> str:
    """The source of the simple statement around a span, ``a[0] = 0`` for ``a[0]``; else of the span alone."""
    return history.text(history.statement(span) or span)
