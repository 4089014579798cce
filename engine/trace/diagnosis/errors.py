"""What an error of PyTorch's comes from: the guilty lines, versions and passes, and the change that mends it."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.trace import events
from engine.trace.diagnosis.departures import Answer, untracked
from engine.trace.diagnosis.gradients import why_no_grad
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.places import enclosing_turn, inside, turns_around
from engine.trace.marks import bare, code
from engine.trace.narration.amounts import listed
from engine.trace.state import State


def why_error(history: History, state: State) -> tuple[int | None, Answer]:
    """(tensor it is about, answer) for the error that ended the run.

    ``state`` is the replay's last moment.
    """
    message = history.trace.outcome.message
    for phrase, explain in EXPLAINED:
        if phrase in message:
            found = explain(history, state)
            if found is not None:
                return found
    return as_it_says(history)


def as_it_says(history: History) -> tuple[int | None, Answer]:
    """The error's own words, where they say all there is to say, and the advice."""
    outcome = history.trace.outcome
    where = f"Line {outcome.span.line}" if outcome.span is not None else "The snippet"
    said = " ".join(outcome.message.strip().split("\n")[0].split()).rstrip(".")
    if outcome.status == "limit":
        return None, Answer("limit", f"{said}, on {where[0].lower()}{where[1:]}.", outcome.advice, None, outcome.span)
    cause = next((cause for sign, cause in SIGNS if sign in said or sign == outcome.error), "error")
    text = f"{where} raises {outcome.error or 'an error'}{': ' + said if said else ''}."
    return None, Answer(cause, text, outcome.advice, history.last, outcome.span)


SIGNS = (
    ("SyntaxError", "syntax"),
    ("IndentationError", "syntax"),
    ("TabError", "syntax"),
    ("shapes cannot be multiplied", "shape_mismatch"),
    ("must match the size of tensor", "shape_mismatch"),
    ("is invalid for input of size", "shape_mismatch"),
    ("size mismatch", "shape_mismatch"),
    ("inconsistent tensor size", "shape_mismatch"),
    ("expected scalar type", "dtype_mismatch"),
    ("must have the same dtype", "dtype_mismatch"),
    ("can require gradients", "dtype_mismatch"),
)
"""(error's class or part of its message, class of cause)."""


# ── a second backward ────────────────────────────────────────────────────────────────────────────────────────────────


def graph_freed(history: History, state: State) -> tuple[int | None, Answer] | None:
    """Which call freed it, where the shared part was built, and which of the three fixes is right."""
    failed = history.passes[-1] if history.passes else None
    ran = [node for node in state.ran if node in state.freed]
    if failed is None or not ran:
        return None
    node = ran[-1]
    row, (_, freed_at) = history.trace.nodes[node], state.freed[node]
    tensor = row.outputs[0] if row.outputs else None
    built, freed = history.line_of(row.step), history.line_of(freed_at)
    here = history.trace.steps[failed.start].scope
    shared = f"{row.name} ({history.quoted(row.span)}, {built}) was freed by the backward pass on {freed}"
    turn = enclosing_turn(history, here)
    if turn is not None and not inside(history, row.scope, turn):
        loop = history.trace.scopes[turn]
        if any(history.trace.scopes[scope].span == loop.span for scope in turns_around(history, row.scope)):
            carried = carrier(history, node, turn)
            name = history.label(carried) if carried is not None else "what is carried over"
            return tensor, Answer(
                "graph_freed",
                f"{shared}. This turn's graph reaches back into it through {name}, which an earlier turn made.",
                f"Cut the tie at the start of each turn: {name} = {name}.detach().",
                failed.start,
                row.span,
            )
        return tensor, Answer(
            "graph_freed",
            f"{shared} in an earlier turn. It was built once, before the loop, so every turn needs it again.",
            f"Move {built} into the loop, so that each turn builds its own graph.",
            failed.start,
            row.span,
        )
    first = next((task for task in history.passes if task.start < freed_at <= task.end), failed)
    roots = sorted({history.label(root) for task in (first, failed) for root in task.roots})
    if len(roots) > 1:
        total = bare(" + ".join(roots))
        fix = f"Add them and call backward() once: `({total}).backward()`. Or give the first call retain_graph=True."
        text = f"{shared}. {listed(roots)} share it, so the second call needs what the first one freed."
    else:
        root = roots[0] if roots else "the loss"
        fix = f"Compute {root} again before the second backward(), or call backward() only once."
        text = f"{shared}; the second call needs it again."
    return tensor, Answer("graph_freed", text, fix, failed.start, history.trace.steps[failed.start].span)


def carrier(history: History, freed: int, turn: int) -> int | None:
    """The tensor through which this turn's graph reaches the freed one: an edge from inside the turn to outside."""
    for row in reversed(history.trace.nodes):
        if inside(history, row.scope, turn):
            for edge in row.edges:
                if edge.node is None or edge.tensor is None or history.trace.nodes[edge.node].leaf is not None:
                    continue
                if not inside(history, history.trace.nodes[edge.node].scope, turn):
                    return edge.tensor
    outputs = history.trace.nodes[freed].outputs
    return outputs[0] if outputs else None


# ── writes in place ──────────────────────────────────────────────────────────────────────────────────────────────────


def modified(history: History, state: State) -> tuple[int | None, Answer] | None:
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
            step, what, version = write
            label = history.label(saved.tensor)
            needed = history.line_of(failed.start) if failed is not None else "backward"
            text = (
                f"{row.name} saved {label} at version {saved.version} on {history.line_of(at)}; {what} on "
                f"{history.line_of(step)} wrote into it (version {version}); backward on {needed} needs what was there."
            )
            return saved.tensor, Answer(
                "modified_in_place", text, _instead(history, step, label), step, history.trace.steps[step].span
            )
    return None


def _write_after(history: History, tensor: int, step: int) -> tuple[int, str, int | str] | None:
    """(step, what wrote, version then) of the first write into a tensor's storage after a step."""
    found: list[tuple[int, str, int | str]] = []
    base = history.trace.tensors[tensor].base
    for other in (tensor, *([base] if base is not None else [])):
        found += [
            (index, history.quoted(write.span) or code(write.operator), write.version_after)
            for index, write in history.written[other]
            if index > step
        ]
    for index, stepped in history.steps:
        if index > step and any(change.tensor in (tensor, base) for change in stepped.changes):
            found.append((index, history.quoted(stepped.span) or "the optimizer's step", "raised"))
    return min(found, key=lambda write: write[0], default=None)


def _instead(history: History, step: int, label: str) -> str:
    if isinstance(history.trace.steps[step], events.OptimizerStepped):
        return "Run every backward() that needs the old parameters before optimizer.step()."
    text = history.text(history.trace.steps[step].span)
    target = re.match(r"([\w.]+)\s*([-+*/])=\s*(.+)", text)
    if target:
        name, operator, rest = target.groups()
        return f"Make a new tensor instead of writing into the old one: `{name} = {name} {operator} {rest}`."
    if re.match(r"[\w.]+\[", text):
        return (
            f"Write into a copy ({label} = {label}.clone() first), or collect the parts in a list and torch.stack them."
        )
    return f"Use the form that makes a new tensor (without the underscore), or write into {label}.clone()."


def leaf_written(history: History, state: State) -> tuple[int | None, Answer] | None:
    """A write into a leaf while recording."""
    outcome = history.trace.outcome
    text = history.text(outcome.span)
    name = re.match(r"[\w.]+", text)
    tensor = tensor_named(history, name.group(0) if name else "")
    label = history.label(tensor) if tensor is not None else "the leaf"
    return tensor, Answer(
        "leaf_written",
        f"{code(text)} writes into {label}, a leaf that requires grad. Recorded, it would no longer be a leaf.",
        f"Put it under `with torch.no_grad():`, or make a new tensor: {label}_new = …",
        history.last,
        outcome.span,
    )


# ── where backward starts ────────────────────────────────────────────────────────────────────────────────────────────


def not_scalar(history: History, state: State) -> tuple[int | None, Answer] | None:
    """backward() from several numbers."""
    outcome = history.trace.outcome
    tensor = _root(history)
    label = history.label(tensor) if tensor is not None else "the tensor"
    shape = f" of shape {history.trace.tensors[tensor].shape}" if tensor is not None else ""
    return tensor, Answer(
        "not_scalar",
        f"{label} holds several numbers{shape}, and backward() has to start from one.",
        f"Reduce first: {label}.sum().backward() or {label}.mean().backward(); or pass gradient= with its shape.",
        history.last,
        outcome.span,
    )


def root_untracked(history: History, state: State) -> tuple[int | None, Answer] | None:
    """backward() from a tensor without history: the first departure behind it."""
    tensor = _root(history)
    if tensor is None:
        return None
    answer = untracked(history, tensor, history.last, "has no history, so backward() cannot start from it")
    return tensor, answer


def _root(history: History) -> int | None:
    """The tensor that the failing call started from, by the name in the source."""
    text = history.text(history.trace.outcome.span)
    found = re.match(r"(?:torch\.)?(?:autograd\.)?(?:backward|grad)\(\s*([\w.\[\]]+)", text) or re.match(
        r"([\w.\[\]]+)(?:\.\w+\([^()]*\))*\.backward\(", text
    )
    if found:
        tensor = tensor_named(history, found.group(1))
        if tensor is not None and ".backward" in text and text.startswith(f"{found.group(1)}.backward"):
            return tensor
        if tensor is not None and ".backward" not in text:
            return tensor
    return max(history.made, key=lambda made: history.made[made], default=None)


def tensor_named(history: History, name: str) -> int | None:
    """The tensor that a name was bound to last."""
    best = None
    for tensor, bindings in history.bound.items():
        for step, bound in bindings:
            if bound == name and (best is None or step > best[0]):
                best = (step, tensor)
    if best is not None:
        return best[1]
    return next((index for index, row in enumerate(history.trace.tensors) if name in row.names), None)


# ── a gradient that is not there ──────────────────────────────────────────────────────────────────────────────────────


def empty_grad(history: History, state: State) -> tuple[int | None, Answer] | None:
    """``w.grad.zero_()`` or ``lr * w.grad`` while ``w.grad`` is None: why it is."""
    outcome = history.trace.outcome
    if outcome.span is None:
        return None
    for name in re.findall(r"([A-Za-z_][\w.\[\]'\"]*)\.grad\b", history.source.lines[outcome.span.line - 1]):
        tensor = tensor_named(history, name)
        if tensor is None or history.grad(tensor, history.last) is not None:
            continue
        answer = why_no_grad(history, tensor, history.last)
        return tensor, Answer(
            answer.cause,
            f"{code(name)}.grad is None on line {outcome.span.line}. {answer.text}",
            answer.fix,
            history.last,
            outcome.span if answer.cause == "backward_not_called" else answer.span,
        )
    return None


Explainer = Callable[[History, State], tuple[int | None, Answer] | None]

EXPLAINED: tuple[tuple[str, Explainer], ...] = (
    ("backward through the graph a second time", graph_freed),
    ("modified by an inplace operation", modified),
    ("leaf Variable that requires grad is being used in an in-place operation", leaf_written),
    ("grad can be implicitly created only for scalar outputs", not_scalar),
    ("does not require grad and does not have a grad_fn", root_untracked),
    ("NoneType", empty_grad),
)
"""By the key phrase of PyTorch's message."""
