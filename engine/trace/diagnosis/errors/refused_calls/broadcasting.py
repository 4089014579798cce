"""Two shapes that were to be stretched to each other, and a squeeze() that took the batch of one away before."""

from __future__ import annotations

from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.marks import code

SIZE = "shape_mismatch"
REDUCING = frozenset({"mean", "sum", "std", "var", "norm", "amax", "amin", "logsumexp", "prod", "median"})


def broadcast(call: Call) -> Found:
    """Two shapes that differ, counted from the right, where neither is 1."""
    pairs = [
        (a, b) for a in call.tensors[:1] for b in call.tensors[1:3] if clash(call.shape(a), call.shape(b)) is not None
    ]
    if not pairs:
        return None
    left, right = pairs[0]
    a, b = call.shape(left), call.shape(right)
    place = clash(a, b) or 0
    where = "the last dimension" if place == 1 else f"dimension {-place}, counted from the end,"
    text = (
        f"{call.told(left)}, and {call.told(right)}. Shapes are compared from the right, and in {where} {a[-place]} meets "
        f"{b[-place]}; only a 1 is stretched."
    )
    for short, long in ((right, left), (left, right)):
        kept = keeping(call, short, long)
        if kept is not None:
            return short, call.answer(SIZE, f"{text} {kept[0]}", kept[1])
        shorter, longer = call.shape(short), call.shape(long)
        if len(shorter) < len(longer) and shorter and longer[: len(shorter)] == shorter:
            ones = "[..." + ", None" * (len(longer) - len(shorter)) + "]"
            change = "{}.unsqueeze(1)" if ones == "[..., None]" and len(shorter) == 1 else "{}" + ones
            return short, call.answer(
                SIZE, text, call.given_as(short, change), "Insert the missing dimension with `unsqueeze()`."
            )
        if 2 == len(shorter) < len(longer) and [longer[0], longer[-1]] == shorter:
            ones = ", None" * (len(longer) - 2)
            return short, call.answer(
                SIZE, text, call.given_as(short, f"{{}}[:{ones}]"), "Insert the dimensions between with `unsqueeze(1)`."
            )
    if a == b[::-1] and len(a) == 2:
        return right, call.answer(SIZE, text, call.given_as(right, "{}.T"), f"Transpose {call.name(right)}.")
    return right, call.answer(
        SIZE, text, f"Make {call.name(right)} of a shape that fits {a}, or {call.name(left)} of one that fits {b}."
    )


def clash(a: list[int], b: list[int]) -> int | None:
    """The first place from the right, from 1, where neither length is stretched."""
    for place, (one, other) in enumerate(zip(reversed(a), reversed(b), strict=False), 1):
        if one != other and 1 not in (one, other):
            return place
    return None


def keeping(call: Call, tensor: int, other: int) -> tuple[str, str | None] | None:
    """(sentence, remedy) where a reduction of the other took the dimension away."""
    event, span = call.history.event.get(tensor), call.row(tensor).span
    if event is None or span is None or event.operator not in REDUCING or not event.inputs:
        return None
    before = call.shape(event.inputs[0])
    if before != call.shape(other) or len(before) != len(call.shape(tensor)) + 1:
        return None
    text = call.history.text(span)
    if not text.endswith(")") or "keepdim" in text:
        return None
    sentence = f"{code(text)} on line {span.line} took a dimension away, so what is left moved to the right."
    return sentence, call.instead(span, f"{text[:-1]}, keepdim=True)")


def squeezed(call: Call, tensor: int) -> tuple[str, str | None] | None:
    """(sentence, remedy) where a squeeze() without a dimension took the batch of one away."""
    for other in call.history.ancestors(tensor)[:4]:
        event, span = call.history.event.get(other), call.row(other).span
        if event is None or event.operator != "squeeze" or span is None or not event.inputs:
            continue
        before, after = call.shape(event.inputs[0]), call.shape(other)
        text = call.history.text(span)
        if len(before) - len(after) < 2 and not (before[:1] == [1] and len(before) - len(after) == 1):
            continue
        if not text.endswith(".squeeze()"):
            continue
        sentence = f"{code(text)} on line {span.line} took every 1 out of shape {before}, that of the batch too."
        return sentence, call.instead(span, f"{text[:-1]}-1)")
    return None
