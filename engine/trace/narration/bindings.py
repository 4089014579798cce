"""What names mean: which tensor one stands for from now on, inside of a function too, and which it meant before."""

from __future__ import annotations

import re

from engine.trace import events
from engine.trace.document import Scope
from engine.trace.marks import code
from engine.trace.narration.amounts import shown
from engine.trace.narration.telling import Reader, Telling
from engine.trace.parts import Claim


def name_bound(reader: Reader, step: events.NameBound, tell: Telling) -> None:
    """A name means a tensor."""
    label, value, name = reader.label(step.tensor), reader.value(step.tensor), code(step.name)
    scope = reader.trace.scopes[reader.state.holder(step.scope)]
    if step.previous is not None:
        name_bound_anew(reader, step, step.previous, tell)
    elif scope.kind == "function" and (said := meaning_inside(reader, step, scope)) is not None:
        tell.say(f"Inside {scope.title}, {said[0]}", names_it(step), *said[1])
    elif is_called_so(reader, step):
        tell.say(f"The name {name} now means this tensor: {value}.", names_it(step), *holding(reader, step.tensor))
    else:
        tell.say(f"The name {name} now means {label}: {value}.", names_it(step), *holding(reader, step.tensor))


def name_unbound(reader: Reader, step: events.NameUnbound, tell: Telling) -> None:
    """A name means no tensor any more."""
    tell.say(f"{code(step.name)} no longer means a tensor.", Claim("unnamed", tensor=step.previous, text=step.name))


def name_bound_anew(reader: Reader, step: events.NameBound, previous: int, tell: Telling) -> None:
    """A name that meant another tensor before."""
    state = reader.state
    called_so = is_called_so(reader, step)
    other = "another tensor" if called_so else reader.label(step.tensor)
    tell.say(
        f"{code(step.name)} now means {other}: {reader.value(step.tensor)}. The one it meant before holds "
        f"{shown(state.value(previous))}.",
        names_it(step), *holding(reader, step.tensor), *holding(reader, previous),
    )  # fmt: skip
    looped = state.is_leaf(step.tensor) and not called_so  # `for p in net.parameters()`
    if state.is_leaf(previous) and state.tracked(previous) and not looped:
        kind = "another leaf" if state.is_leaf(step.tensor) else "not a leaf"
        if not state.tracked(step.tensor):
            kind = "not tracked"
        tell.say(f"The old one was a leaf with its own .grad; the new one is {kind}.", Claim("leaf", tensor=previous))


def meaning_inside(reader: Reader, step: events.NameBound, scope: Scope) -> tuple[str, list[Claim]] | None:
    """What a name of a function means, and the claims of saying so; None where it means the same as outside."""
    value, name, held = reader.value(step.tensor), code(step.name), holding(reader, step.tensor)
    copied = copied_for_transform(reader, step.tensor)
    if copied is not None:
        return (
            f"{name} is a copy of the tensor that was passed in, and requires grad: {value}. The derivative is taken by the copy.",
            [Claim("copied_for_transform", tensor=step.tensor, number=copied)],
        )
    if not is_called_so(reader, step):
        return f"{name} means {reader.label(step.tensor)}: {value}.", held
    written = reader.text(step.span)
    if written == f"`self.{step.name.rpartition('.')[2]}`":
        return f"{written} now means this tensor: {value}. Outside it is called {name}.", held
    if reader.state.holder(reader.trace.tensors[step.tensor].scope) == 0:
        told = whence(reader, step, scope)
        return None if told is None else (f"{name} {told}: {value}.", held)
    return None


def whence(reader: Reader, step: events.NameBound, scope: Scope) -> str | None:
    """Where the tensor comes from that a function gives a name: ``is the tensor that was passed in``.

    None for what `grad()` has found: it belongs to no function, and may have been asked for in this very line.
    """
    written = reader.source.lines[step.span.line - 1] if step.span is not None else ""
    is_argument = re.match(r"\s*(?:async )?def\b|.*\blambda\b", written) is not None
    if scope.title.endswith(".backward()") and (is_argument or reader.is_arrived(step.tensor)):
        arrived = reader.has_arrived()
        return "is the gradient that arrived" if arrived else "is filled with 0, since no gradient arrived"
    if "saved_tensors" in written:
        return "is the tensor that was saved"
    if is_argument:
        return "is the tensor that was passed in"
    return None if reader.trace.tensors[step.tensor].role == "gradient" else "is the tensor from outside"


def is_called_so(reader: Reader, step: events.NameBound) -> bool:
    """Whether the tensor goes by the name that it is given."""
    return reader.symbol(step.tensor) == step.name


def names_it(step: events.NameBound) -> Claim:
    """The claim that the name means the tensor."""
    return Claim("names", tensor=step.tensor, text=step.name)


def copied_for_transform(reader: Reader, tensor: int) -> int | None:
    """The untracked tensor that a transform (``torch.func.grad``) made a leaf from, to differentiate by it."""
    row = reader.trace.tensors[tensor]
    if row.span is not None or row.role != "leaf" or not reader.state.tracked(tensor):
        return None
    return next(
        (
            other for other in reader.state.values
            if other != tensor and reader.symbol(other) == row.label and not reader.state.tracked(other)
            and reader.state.value(other) == reader.state.value(tensor)
        ),
        None,
    )  # fmt: skip


def holding(reader: Reader, tensor: int) -> list[Claim]:
    """That a tensor holds what is said of it."""
    value = reader.state.value(tensor)
    return [] if value is None else [Claim("value", tensor=tensor, text=value.text)]
