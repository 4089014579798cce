"""Mentions of lines, of what stands or happened on them, and of shapes and types."""

from __future__ import annotations

import re

from engine.trace import events
from engine.trace.claims.reasons.known import PYTORCH, is_known
from engine.trace.claims.reasons.mention import CODE, VALUE, says
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Reason
from engine.trace.elements import is_zero
from engine.trace.marks import bare, code

ADDING = re.compile(r"\*|@|mm|mv|dot|sum|mul")
"""What multiplies or adds up in a derivative's text."""
DTYPE = r"(?:u?int|float|complex|bool)\d*"


@says(r"is used on line (\d+) only(?=, in (?:a branch|the loop)|, after)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return not record.reached(int(found[1]))


@says(rf"`([^`]+)` \({CODE}, line (\d+)\)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    nodes = [record.trace.nodes[index] for index in record.nodes[found[1]]]
    if not nodes:  # a variable or a layer, and what made it
        return is_known(record, found[1]) and record.placed(found[2], int(found[3]))
    return any(node.span is not None and node.span.line == int(found[3]) for node in nodes) and record.placed(
        found[2], int(found[3])
    )


@says(r"no backward pass has run (yet|since it was made)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    before = any(isinstance(step, events.BackwardStarted) for step in record.trace.steps[: reason.first + 1])
    return before == (found[1] != "yet")


@says(r"backward started from (?:[^`]|`[^`]*`)*? on line (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """A pass was begun there, from a tensor that is called so."""
    labels = {
        bare(code(record.trace.tensors[root].label))
        for step in record.steps_on(int(found[1]))
        if isinstance(step, events.BackwardStarted)
        for root in step.roots
    }
    return any(label in bare(found[0]) for label in labels)


@says(rf"holds raw scores \(({VALUE})\)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return any(found[1] in record.held(tensor) for tensor in range(len(record.trace.tensors)))


@says(r"(?:backward |the |this )?pass on line (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    unseen = bool(record.trace.folded)
    return unseen or any(isinstance(step, events.BackwardStarted) for step in record.steps_on(int(found[1])))


@says(r"(?:the )?(?:update|first step) on line (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return any(
        isinstance(step, events.OptimizerStepped | events.ValueWritten | events.NameBound | events.TensorMade)
        for step in record.steps_on(int(found[1]))
    )


@says(rf"{CODE} saved {CODE} at version (\d+) on line (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return any(
        saved.version == int(found[3]) and saved.tensor in record.tensors(found[2])
        for index in record.nodes[found[1]]
        for saved in record.trace.nodes[index].saved
    )


@says(r"wrote into it \(version (\d+)\)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return any(
        isinstance(step, events.ValueWritten) and step.version_after == int(found[1]) for step in record.trace.steps
    )


@says(rf"{CODE} \((\w+), `(inplace=True|max_norm)`\) on line (\d+) wrote")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """A layer of that class was called there, and was made to work in place."""
    calls = (row for row in record.trace.scopes if row.kind == "module" and row.span is not None)
    called = any(
        row.title == f"{found[1]} ({found[2]})" and row.span and row.span.line == int(found[4]) for row in calls
    )
    return called and (
        found[3] in record.trace.code or "inplace" in record.trace.code or "ReLU(True)" in record.trace.code
    )


@says(r"(?:a branch|the part|the loop) of line (\d+)|the return on line (\d+)|which line (\d+) chose")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    line = record.source.lines[int(found[1] or found[2] or found[3]) - 1]
    return re.search(r"\b(if|elif|else|for|while|match|case|return|try|except|and|or)\b", line) is not None


@says(r"and (\d+) more")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return 0 < int(found[1]) < len(record.trace.tensors)


@says(r"`([^`]+)\.retain_grad\(\)` on line (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return any(
        isinstance(step, events.RetainAsked) and step.tensor in record.tensors(found[1])
        for step in record.steps_on(int(found[2]))
    )


@says(r"the loop on line (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return record.source.lines[int(found[1]) - 1].lstrip().startswith(("for ", "while ", "async for "))


@says(r"it multiplies by ((?:`\w+` in )?`[^`]+`) \(line (\d+)\), which is 0(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """Some tensor that is called so, and stands on that line or was written to there, held nothing but zeros."""
    label, line = bare(found[1]), int(found[2])
    values = (value for tensor in record.tensors(label) for _, value in record.values[tensor])
    written = (step for step in record.steps_on(line) if isinstance(step, events.ValueWritten))
    there = record.placed(label, line) or any(step.tensor in record.tensors(label) for step in written)
    return there and any(map(is_zero, values))


@says(r"it multiplies by 0(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """The node of the message that the reason points to saved a plain 0."""
    step = record.trace.steps[reason.step or 0]
    row = record.trace.nodes[step.node] if isinstance(step, events.MessageSent) else None
    return row is not None and any(saved.tensor is None and saved.text in ("0", "0.0") for saved in row.saved)


@says(r"(?:what arrived adds|its products with what arrived add) up to 0(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """The node got something else than zeros, which is checked with the cause, and it multiplies or adds up."""
    step = record.trace.steps[reason.step or 0]
    return isinstance(step, events.MessageSent) and (
        isinstance(record.trace.steps[(reason.step or 0) - 1], events.BroadcastUndone)
        or ADDING.search(record.trace.nodes[step.node].edges[step.slot].derivative) is not None
    )


@says(r"what was there before is overwritten(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """A recorded write happened in the reason's columns."""
    writes = (step for step in record.trace.steps if isinstance(step, events.ValueWritten))
    lines = {step.span.line for step in writes if step.node is not None and step.span is not None}
    return reason.span is not None and reason.span.line in lines


@says(rf"{CODE} is part of the graph since {CODE} \(line (\d+)\) wrote into it")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """A recorded write on that line changed it, and it had no history before."""
    wrote = any(
        isinstance(step, events.ValueWritten)
        and step.node is not None
        and reason.tensor in (step.tensor, *step.shared_with)
        for step in record.steps_on(int(found[3]))
    )
    return wrote and reason.tensor is not None and record.trace.tensors[reason.tensor].grad_fn is None


@says(rf"{CODE} means {CODE} since line (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """The name was given to that tensor there."""
    return any(
        isinstance(step, events.NameBound) and step.name == found[1] and step.tensor in record.tensors(found[2])
        for step in record.steps_on(int(found[3]))
    )


@says(r"(?:made it|set to|is) 0\b")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return reason.cause in ("zeroed", "zero_gradient")


@says(rf"{CODE},? (?:on )?\(?line (\d+)\)?")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    line = int(found[2])
    return record.placed(found[1], line) or (found[1] in PYTORCH and bool(record.on_line[line]))


@says(r"[Ll]ine (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return bool(record.on_line[int(found[1])]) or not record.trace.steps


@says(rf"{CODE} has shape (\[[\d, ]*\])")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return any(str(record.trace.tensors[tensor].shape) == found[2] for tensor in record.tensors(found[1]))


@says(r"together they make (\[[\d, ]*\])")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    shapes = {str(row.shape) for row in record.trace.tensors}
    return found[1] in shapes or reason.cause == "broadcast_surprise"


@says(r"(?:of |from )?shape (\[[\d, ]*\])")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return any(str(row.shape) == found[1] for row in record.trace.tensors)


@says(rf": it holds ({DTYPE}) values")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return reason.tensor is not None and record.trace.tensors[reason.tensor].dtype == found[1]


@says(rf"(?:gives|holds) ({DTYPE}) values")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return any(row.dtype == found[1] for row in record.trace.tensors)
