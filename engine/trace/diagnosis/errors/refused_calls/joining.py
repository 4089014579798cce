"""Tensors of unequal shapes that were to be joined or stacked, by hand or by a DataLoader."""

from __future__ import annotations

import ast
import re

from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls.broadcasting import squeezed
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.diagnosis.flow import called

SIZE = "shape_mismatch"


def joined(call: Call) -> Found:
    """cat of unequal tensors."""
    if len(call.tensors) < 2:
        return None
    first = call.tensors[0]
    other = next((t for t in call.tensors if unlike(call, first, t)), None)
    if other is None:
        return None
    a, b = call.shape(first), call.shape(other)
    lost = squeezed(call, first) or squeezed(call, other)
    text = f"{call.told(first)}, and {call.told(other)}."
    if len(a) != len(b):
        said = f"{text} What is joined needs as many dimensions: {len(a)} against {len(b)}."
        if lost is not None:
            return first, call.answer(SIZE, f"{said} {lost[0]}", lost[1])
        short, long = (first, other) if len(a) < len(b) else (other, first)
        place = 0 if call.shape(short) == call.shape(long)[1:] else len(call.shape(short))
        return short, call.answer(
            SIZE,
            said,
            call.given_as(short, f"{{}}.unsqueeze({place})"),
            "Insert the missing dimension with `unsqueeze()`.",
        )
    dimension = dimension_of(call)
    differing = [place for place, (one, two) in enumerate(zip(a, b, strict=True)) if one != two]
    unequal = next((place for place in differing if place != dimension), 0)
    text = f"{text} Joined along dimension {dimension}, all others must be alike, and dimension {unequal} is not."
    along = along_dimension(call, differing[0]) if len(differing) == 1 else None
    return other, call.answer(SIZE, text, along, "Bring the other dimensions to one length first.")


def unlike(call: Call, one: int, other: int) -> bool:
    """Whether two tensors differ in more than the dimension they are joined along."""
    a, b = call.shape(one), call.shape(other)
    dimension = dimension_of(call)
    return len(a) != len(b) or any(
        x != y for place, (x, y) in enumerate(zip(a, b, strict=True)) if place != dimension % max(len(a), 1)
    )


def dimension_of(call: Call) -> int:
    """The dimension that was asked for; 0 where none was."""
    given = call.given("dim", "axis") or next(
        (g for g in call.refused.given if g.argument.isdigit() and g.type == "int"), None
    )
    return int(given.text) if given is not None and given.text.lstrip("-").isdigit() else 0


def along_dimension(call: Call, dimension: int) -> str | None:
    """The call along another dimension."""
    node = call.node
    if not isinstance(node, ast.Call) or call.span is None:
        return None
    named = next((k.value for k in node.keywords if k.arg in ("dim", "axis")), None)
    asked = named or (node.args[1] if len(node.args) > 1 else None)
    if asked is not None:
        return call.replaced(asked, str(dimension))
    return call.instead(call.span, f"{call.history.text(call.span)[:-1]}, dim={dimension})")


def stacked(call: Call) -> Found:
    """stack of unequal tensors."""
    first = call.tensors[0] if call.tensors else None
    other = next((t for t in call.tensors if first is not None and call.shape(t) != call.shape(first)), None)
    if first is None or other is None:
        return None
    text = f"{call.told(first)}, and {call.told(other)}: a stack lays tensors of one shape on each other."
    node = call.node
    fix = "Use `torch.cat` to join different lengths, or pad the shorter ones first."
    alone = isinstance(node, ast.Call) and called(node.func) == "stack" and len(node.args) == 1 and not node.keywords
    if (
        alone
        and isinstance(node, ast.Call)
        and call.span is not None
        and call.shape(first)[1:] == call.shape(other)[1:]
    ):
        given = call.history.text(call.history.source.span(node.args[0]))
        fix = call.instead(call.span, f"torch.nn.utils.rnn.pad_sequence({given}, batch_first=True)")
    return other, call.answer(SIZE, text, fix)


def collated(call: Call) -> Found:
    """A DataLoader could not stack the examples of a batch."""
    found = re.search(r"got (\[[\d, ]*\]) at entry (\d+) and (\[[\d, ]*\]) at entry (\d+)", call.message)
    if found is None or not any(given.type.endswith("DataLoader") for given in call.refused.given):
        return None
    text = (
        f"A DataLoader stacks the examples of a batch, and those of {call.history.quoted(call.span)} are of shape {found[1]} "
        f"and of shape {found[3]}."
    )
    return None, call.answer(
        SIZE, text, "Pad them to one length in a `collate_fn=`, for example with `torch.nn.utils.rnn.pad_sequence`."
    )
