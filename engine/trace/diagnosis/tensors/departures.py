"""Where history was lost: the first departure from the graph behind a tensor, and what to do about each kind."""

from __future__ import annotations

import re

import msgspec

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.tensors import instead
from engine.trace.diagnosis.tensors.constants import gradient_behind, without_history
from engine.trace.diagnosis.tensors.recording import switch_on
from engine.trace.elements import carries_gradients
from engine.trace.marks import code, grouped
from engine.trace.narration.amounts import listed
from engine.trace.parts import Span

RANDOM = frozenset({"normal", "bernoulli", "multinomial", "poisson", "binomial"})
"""Operators that draw."""
DISCRETE = RANDOM - {"normal"}
"""Those whose draws are whole numbers, so that no small change of a parameter moves them."""
COUNTED = re.compile(r"(?<!Relaxed)(?:Bernoulli|Categorical|Binomial|Multinomial|Poisson|Geometric)\(")
"""Distributions of such draws."""
PARAMETER = re.compile(r"(w|weights?|b|bias(es)?|theta|beta|alpha|gamma|params?|coefs?|logits)_?\d*", re.IGNORECASE)
"""What people call what should learn."""
FIXES = {
    "detach": "Use {kept} itself where gradients should flow, and detach() only where they should stop.",
    "data": "Use {kept} itself; .data hides what you do from autograd. To only read, use detach().",
    "item": "Keep {kept} as a tensor until backward() has run; use item() for printing only.",
    "numpy": "Do this step with torch functions on {kept} itself; use detach().numpy() for looking only.",
    "tolist": "Keep {kept} as a tensor; use torch.stack or torch.cat to join tensors.",
    "copied": "Use {kept} itself, or {copy}, which keeps the history.",
    "no_grad": "{record}",
    "inference_mode": "{record}",
    "integer": "Compute the loss from the numbers before this step; a soft version (softmax, sigmoid) has a slope.",
    "not_differentiable": "Replace {operator} by a function that has a derivative.",
}
"""By how the value left the graph."""

TEXTS = {
    "detach": "{text} on {line} takes {source} out of the graph",
    "data": "{text} on {line} reads {source} past autograd, so nothing is recorded",
    "item": "{text} on {line} turns {source} into a plain number, which has no history",
    "numpy": "{text} on {line} hands {source} to numpy, which keeps no history",
    "tolist": "{text} on {line} turns {source} into a plain list, which has no history",
    "copied": "{text} on {line} copies the numbers of {source} into a new tensor without history",
    "no_grad": "{text} on {line} runs under no_grad, so it is not recorded",
    "inference_mode": "{text} on {line} runs in inference mode, so it is not recorded",
    "integer": "{text} on {line} gives {dtype} values, which have no slope",
    "not_differentiable": "{operator} on {line} has no derivative",
}


def departure(history: History, step: int, sentence: str = "{lost}.") -> Answer:
    """The answer for one `events.GraphLeft` step; ``sentence`` says what followed, with ``{lost}`` where it left."""
    left = history.trace.steps[step]
    assert isinstance(left, events.GraphLeft)
    how, span = left.how, left.span
    on = into_numpy(history, span)
    if how in ("detach", "data") and on is not None:
        how, span = "numpy", on
    source = history.label(left.source)
    dtype = "" if left.result is None else history.trace.tensors[left.result].dtype
    owner = instead.kept(history, span, left.source)
    words = {
        "text": history.quoted(span) or code(left.operator),
        "line": history.line_of(step),
        "source": source,
        "operator": left.operator,
        "dtype": dtype,
        "kept": code(owner) if owner is not None else source,
        "copy": f"`{grouped(owner)}.clone()`" if owner is not None else "a clone() of it",
        "record": switch_on(history, step, span, how) if how in ("no_grad", "inference_mode") else "",
    }
    asked = step, how, span
    if asked not in history.fixes:
        history.fixes[asked] = in_its_place(history, step, how, span) or FIXES[how].format(**words)
    fix = history.fixes[asked]
    return Answer(how, sentence.format(lost=TEXTS[how].format(**words)), fix, step, span)


def in_its_place(history: History, step: int, how: str, span: Span | None) -> str:
    """The exact code to write, where there is more to do than to leave something out; else nothing."""
    left = history.trace.steps[step]
    assert isinstance(left, events.GraphLeft)
    if how == "copied":
        stacked = instead.joined(history, span, left.source)
        return f"Join the tensors themselves, which keeps their history: `{stacked}`." if stacked else ""
    kept = instead.kept(history, span, left.source)
    if how != "item" or kept is None:
        return ""
    function = instead.in_torch(history, span)
    fix = (
        f"Use torch's own function, which keeps the history: `{function}`."
        if function is not None
        else f"Keep {code(kept)} as a tensor until backward() has run; use item() for printing only."
    )
    for name in instead.later_functions(history, span):
        fix += f" Write `torch.{name.removeprefix('math.')}` in place of `{name}`."
    carried = [tensor for tensor in sorted(history.made) if goes_on(history, step, tensor)]
    copy = instead.copied_later(history, step, carried)
    if copy is not None:
        text, place = copy
        stacked = instead.joined(history, place, left.source)
        if stacked is not None:
            stacked = stacked.replace(history.text(span), kept)
            fix += f" Join them by `{stacked}` on line {place.line}: {text} copies numbers only."
        else:
            fix += f" Leave {text} on line {place.line} out: it copies numbers only."
    return fix


def into_numpy(history: History, span: Span | None) -> Span | None:
    """For ``w.detach()`` in ``w.detach().cpu().numpy()`` or ``np.array(w.detach())``: the columns of the whole way."""
    if span is None or span.line != span.end_line:
        return None
    line = history.source.lines[span.line - 1]
    around = re.search(r"\b(np|numpy)\.(as)?array\($", line[: span.column])
    if around is not None and line[span.end_column :].startswith(")"):
        return msgspec.structs.replace(span, column=around.start(), end_column=span.end_column + 1)
    following = re.match(r"(\.cpu\(\))?\.numpy\(\)", line[span.end_column :])
    return None if following is None else msgspec.structs.replace(span, end_column=span.end_column + following.end())


def behind(history: History, tensor: int) -> int | None:
    """The nearest step behind ``tensor`` at which a tracked value left the graph; None if nothing tracked was there."""
    places: dict[Span | None, int] = {}
    for steps in history.left_from.values():
        for step in steps:
            places[history.trace.steps[step].span] = step
    for ancestor in history.ancestors(tensor):
        if ancestor in history.left_with:
            return history.left_with[ancestor]
        for step in sorted(places.values(), reverse=True):
            if goes_on(history, step, ancestor):
                return step
    return None


def goes_on(history: History, step: int, tensor: int) -> bool:
    """Whether a tensor was made with what had left the graph at a step: its very number, or a name that holds it."""
    if history.made.get(tensor, -1) <= step:
        return False
    if history.number_taken(tensor) == step:
        return True
    left, made = history.trace.steps[step].span, history.trace.tensors[tensor].span
    return left is not None and made is not None and history.flow.carries(left, made)


def untracked(history: History, tensor: int, step: int, what: str) -> Answer:
    """Why a tensor does not require grad. ``what`` says what follows from it: ``has no .grad``."""
    label = history.label(tensor)
    if is_frozen(history, tensor, step):
        return frozen(history, tensor, step, f"{label} {what}")
    late = switched_late(history, tensor)
    if late is not None:
        return late
    place = behind(history, tensor)
    if place is not None:
        return departure(history, place, f"{label} {what}: {{lost}}.")
    for ancestor in history.ancestors(tensor):
        if is_unrecorded(history, ancestor):
            return unrecorded(history, ancestor, f"{label} {what}")
    gradient = gradient_behind(history, tensor)
    if gradient is not None:
        return without_history(history, gradient, f"{label} {what}")
    shut = next((a for a in history.ancestors(tensor) if is_frozen(history, a, step)), None)
    if shut is not None:
        return frozen(history, shut, step, f"{label} {what}")
    given = [a for a in history.ancestors(tensor) if not history.inputs[a] and is_real(history, a)]
    origin = min(given, key=lambda a: unlikely(history, a), default=history.ancestors(tensor)[-1])
    made = history.made.get(origin)
    span = history.trace.tensors[origin].span
    if not is_real(history, origin):
        whole = origin if is_real(history, tensor) else tensor
        where = (
            "it" if whole == tensor else f"it was computed from {history.quoted(span) or history.label(origin)}, which"
        )
        return Answer(
            "integer",
            f"{label} {what}: {where} holds {history.trace.tensors[whole].dtype} values; only real numbers have gradients.",
            "Write real numbers, as in torch.tensor(3.0, requires_grad=True), or pass dtype=torch.float32.",
            made,
            span,
        )
    if origin == tensor:
        text = f"{label} {what}: it was made without requires_grad=True on {history.line_of(made)}."
    elif made is None and not history.trace.tensors[origin].names:  # computed inside a transform
        return Answer(
            "requires_grad_false",
            f"{label} {what}: nothing it was computed from requires grad.",
            "Call requires_grad_() before this line on what it should be differentiated by.",
            history.made.get(tensor),
            history.trace.tensors[tensor].span,
        )
    else:
        known = made is not None and history.trace.steps[made].span is not None
        first = f"{history.label(origin)}, {history.line_of(made)}" if known else history.label(origin)
        text = f"{label} {what}: nothing it was computed from requires grad (first {first})."
    name = history.label(origin)
    return Answer(
        "requires_grad_false",
        text,
        f"Create {name} with requires_grad=True, or call {name}.requires_grad_() first.",
        made,
        span,
    )


def unlikely(history: History, tensor: int) -> int:
    """How little speaks for a tensor as what should have a gradient: its ``.grad`` is read, its name is a parameter's, …"""
    row = history.trace.tensors[tensor]
    names = {name for _, name in history.bound[tensor]} | set(row.names)
    if names & history.gradients_read:
        return 0
    if any(PARAMETER.fullmatch(re.split(r"[.\[]", name)[-1]) for name in names):
        return 1
    return 2 if row.span is not None else 3


def switched_late(history: History, tensor: int) -> Answer | None:
    """requires_grad was switched on for something behind ``tensor`` after ``tensor`` had been computed from it."""
    for ancestor in history.ancestors(tensor)[1:]:
        for step, on in history.switched[ancestor]:
            if on and history.made.get(tensor, 0) < step:
                return too_late(history, ancestor, tensor, step)
    return None


def too_late(history: History, leaf: int, user: int, step: int) -> Answer:
    """The answer for a switch that came after a use."""
    name, used = history.label(leaf), history.line_of(history.made.get(user))
    return Answer(
        "requires_grad_too_late",
        f"On {history.line_of(step)} requires_grad of {name} was switched on, after {history.label(user)} had been "
        f"computed from it on {used}: what came before is not recorded.",
        f"Switch it on before {used}, best where {name} is made.",
        step,
        history.trace.steps[step].span,
    )


def is_frozen(history: History, tensor: int, step: int) -> bool:
    """Whether it could learn and was told not to: switched off, or made as a parameter that is off."""
    switches = [on for index, on in history.switched[tensor] if index <= step]
    if switches:
        return not switches[-1]
    event = history.event.get(tensor)
    return event is not None and event.operator == "Parameter" and not event.requires_grad and is_real(history, tensor)


def frozen(history: History, tensor: int, step: int, sentence: str) -> Answer:
    """The answer for what follows from a frozen tensor, itself or another."""
    name = history.label(tensor)
    off = [index for index, on in history.switched[tensor] if index <= step and not on]
    at = off[-1] if off else history.made.get(tensor)
    others = [] if sentence.startswith(name) or not off else frozen_with(history, tensor, step)
    whose = "" if sentence.startswith(name) else f" of {listed([*map(history.label, [tensor, *others])])}"
    how = f"requires_grad{whose} was switched off" if off else f"{name} was made with requires_grad=False"
    fix = f"Call {name}.requires_grad_() when it should learn{' again' if off else ''}."
    if others:
        fix = f"Leave on what should learn; for {name}, call {name}.requires_grad_() again."
    return Answer(
        "frozen",
        f"{sentence}: {how} on {history.line_of(at)}.",
        fix,
        at,
        history.trace.steps[at].span if at is not None else None,
    )


def frozen_with(history: History, tensor: int, step: int) -> list[int]:
    """Other tensors that were switched off on the same line."""
    line = history.line_of([index for index, on in history.switched[tensor] if index <= step and not on][-1])
    return [
        other
        for other, switches in sorted(history.switched.items())
        if other != tensor and (off := [index for index, on in switches if index <= step])
        if not dict(switches)[off[-1]] and history.line_of(off[-1]) == line
    ]


def is_unrecorded(history: History, tensor: int) -> bool:
    """Whether an operation computed it from tracked tensors and no graph says so, though nobody took it out."""
    made = history.made.get(tensor)
    if made is None or tensor in history.left_with or history.tracked(tensor, made) or tensor not in history.event:
        return False
    return any(history.tracked(source, made) for source in history.event[tensor].inputs)


def unrecorded(history: History, tensor: int, sentence: str) -> Answer:
    """The answer for such a result: whole numbers (the places that topk found), or a draw."""
    row, made = history.trace.tensors[tensor], history.made.get(tensor)
    text, line = history.quoted(row.span), history.line_of(made)
    if not is_real(history, tensor):
        lost = f"{text} on {line} gives {row.dtype} values here, which have no slope"
        return Answer("integer", f"{sentence}: {lost}.", FIXES["integer"], made, row.span)
    if "sample" in text or history.event[tensor].operator in RANDOM:
        lost = f"{text} on {line} draws at random, and a draw has no derivative"
        fix = (
            "Such a draw cannot be computed from its parameters: put log_prob() of the draw into the loss."
            if history.event[tensor].operator in DISCRETE or COUNTED.search(text)
            else "Use rsample(), which computes the draw from the parameters, or put log_prob() of the draw into the loss."
        )
        return Answer("not_differentiable", f"{sentence}: {lost}.", fix, made, row.span)
    if (function := history.forward_around(row.scope)) is not None:
        lost = f"{text} on {line} is computed in {code(f'{function}.forward()')}, where nothing is recorded"
        fix = f"Compute it again in `{function}.backward()`, from what `ctx.save_for_backward()` kept."
    elif "checkpoint(" in text:
        lost = f"{text} on {line} runs under no_grad, and is recorded only if a tensor that it is given requires grad"
        fix = "Pass `use_reentrant=False`, or call `requires_grad_()` on what it is given."
    else:
        lost = f"{text} on {line} is computed without being recorded"
        fix = "Use a recorded operation in its place."
    return Answer("not_differentiable", f"{sentence}: {lost}.", fix, made, row.span)


def is_real(history: History, tensor: int) -> bool:
    """Whether its dtype can carry gradients."""
    return carries_gradients(history.trace.tensors[tensor].dtype)
