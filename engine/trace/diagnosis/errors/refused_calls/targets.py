"""A loss and a target that do not fit: classes as numbers or as rows, a dimension too many, whole or real numbers."""

from __future__ import annotations

import math

from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls.broadcasting import squeezed
from engine.trace.diagnosis.errors.refused_calls.call import FLATTENING, Call

SIZE, TYPE = "shape_mismatch", "dtype_mismatch"
CLASSES = frozenset({"cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss"})
BINARY = frozenset({"binary_cross_entropy", "binary_cross_entropy_with_logits", "BCELoss", "BCEWithLogitsLoss"})
PAIRS = BINARY | {
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "MSELoss",
    "L1Loss",
    "SmoothL1Loss",
    "HuberLoss",
}


def loss(call: Call) -> Found:
    """What the target is, and what this loss takes."""
    scores, target = call.tensor("input", "0"), call.tensor("target", "1")
    if scores is None or target is None:
        return None
    name = called(call)
    if name in CLASSES:
        return of_classes(call, name, scores, target)
    if name in PAIRS:
        return of_pairs(call, name, scores, target)
    return None


def called(call: Call) -> str:
    """The loss's name, as the class of the layer or as the function that is called."""
    if call.layer:
        return call.layer
    node = call.node
    func = getattr(node, "func", None)
    return str(getattr(func, "attr", getattr(func, "id", "")))


def is_whole(call: Call, tensor: int) -> bool:
    """Whether it holds whole numbers or truth values."""
    return not call.row(tensor).dtype.startswith(("float", "bfloat", "complex"))


def of_classes(call: Call, name: str, scores: int, target: int) -> Found:
    """A score for each class, and one class for each example."""
    given, classes = call.shape(scores), call.shape(target)
    kind = call.row(target).dtype
    if is_whole(call, scores) and not is_whole(call, target):
        text = (
            f"`{name}` takes the scores first and the target second. Here the first, {call.name(scores)}, holds "
            f"{call.row(scores).dtype} values{call.origin(scores)}, and the second, {call.name(target)}, holds scores of shape {classes}."
        )
        return scores, call.answer(TYPE, text, swapped(call, scores, target), "Give the scores first.")
    if "out of bounds" in call.message:
        return beyond(call, scores, target)
    count = given[1] if len(given) > 1 else given[0] if given else 0
    takes = f"`{name}` takes one class for each example, a whole number"
    if classes == given and (is_whole(call, target) or name in ("nll_loss", "NLLLoss")):
        text = f"{call.told(target)}, a row of {count} for each example: one-hot. {takes}."
        return target, call.answer(
            TYPE if is_whole(call, target) else SIZE, text, call.given_as(target, "{}.argmax(1)")
        )
    if math.prod(classes) == given[0] and classes[-1:] == [1] and len(classes) == len(given):
        text = f"{call.told(target)}, a column, and {call.told(scores)}. {takes}, so the target must be {[given[0]]}."
        whole = "{}.squeeze(1)" if is_whole(call, target) else "{}.squeeze(1).long()"
        return target, call.answer(
            SIZE, text, call.given_as(target, whole), "Take the last dimension off with `squeeze(1)`."
        )
    if not is_whole(call, target) and len(classes) == len(given) - 1:
        text = f"{call.name(target)}{call.origin(target)} holds {kind} values. {takes}."
        return target, call.answer(TYPE, text, call.given_as(target, "{}.long()"), "Call `.long()` on the target.")
    if len(given) == 3 and len(classes) == 2 and given[:2] == classes:
        text = (
            f"{call.told(scores)}, and {call.told(target)}. `{name}` takes the classes in dimension 1, (batch, classes, places): "
            f"here {given[1]} places stand there, and the {given[2]} scores come last."
        )
        return scores, call.answer(
            SIZE, text, call.given_as(scores, "{}.transpose(1, 2)"), "Move the classes to dimension 1."
        )
    if given and classes and given[0] != classes[0]:
        text = f"{call.told(scores)}, and {call.told(target)}: {given[0]} examples against {classes[0]}.{mixed(call, scores)}"
        return scores, call.answer(SIZE, text, "Keep as many rows of scores as there are targets.")
    return None


def swapped(call: Call, scores: int, target: int) -> str | None:
    """The call with its two arguments the other way round."""
    first, second = call.source(scores), call.source(target)
    if first is None or second is None or call.span is None:
        return None
    one, other = (call.history.text(call.history.source.span(part)) for part in (first, second))
    text = call.history.text(call.span)
    if f"{one}, {other}" not in text:
        return None
    return call.instead(call.span, text.replace(f"{one}, {other}", f"{other}, {one}"))


def beyond(call: Call, scores: int, target: int) -> Found:
    """A class that has no score."""
    count = call.shape(scores)[1] if len(call.shape(scores)) > 1 else call.shape(scores)[0]
    held = call.held(target)
    if not held:
        return None
    low, high = min(held), max(held)
    text = f"{call.told(scores)}: {count} classes, counted from 0 to {count - 1}. {call.name(target)}{call.origin(target)} holds "
    if low >= 1 and high == count:
        text += f"{low} to {high}: it counts from 1."
        return target, call.answer("error", text, call.given_as(target, "{} - 1"), "Subtract 1 from the target.")
    wrong = high if high >= count else low
    return target, call.answer(
        "error",
        f"{text}{wrong}.",
        f"Give as many scores as there are classes, {max(high + 1, count)}, or mend the target.",
    )


def mixed(call: Call, tensor: int) -> str:
    """A sentence on a view that changed how many examples there are."""
    event = call.history.event.get(tensor)
    if event is None or event.operator not in FLATTENING or not event.inputs:
        return ""
    before = event.inputs[0]
    if not call.shape(before) or call.shape(before)[0] == call.shape(tensor)[0]:
        return ""
    return f" The batch was mixed up there: before it, the shape was {call.shape(before)}{call.origin(before)}."


def of_pairs(call: Call, name: str, scores: int, target: int) -> Found:
    """A number of the target for each of the prediction."""
    given, wanted = call.shape(scores), call.shape(target)
    both = f"{call.told(scores)}, and {call.told(target)}"
    if given != wanted:
        takes = f"`{name}` compares them element by element, so both must have one shape"
        lost = squeezed(call, scores)
        if lost is not None:
            return scores, call.answer(SIZE, f"{both}: {lost[0]} {takes}.", lost[1])
        if math.prod(given) == math.prod(wanted):
            change = "{}.unsqueeze(1)" if given == [*wanted, 1] else f"{{}}.view({', '.join(map(str, given))})"
            change = change if given else "{}.squeeze()"
            return target, call.answer(
                SIZE, f"{both}. {takes}.", call.given_as(target, change), "Bring the target to the prediction's shape."
            )
        return scores, call.answer(
            SIZE,
            f"{both}. {takes}.",
            "Give the prediction and the target one shape: make the layer's results as many as the target's.",
        )
    if is_whole(call, target) and not is_whole(call, scores):
        text = (
            f"{call.name(target)}{call.origin(target)} holds {call.row(target).dtype} values, and `{name}` takes real numbers "
            f"like those of {call.name(scores)}, {call.row(scores).dtype}."
        )
        return target, call.answer(TYPE, text, call.given_as(target, "{}.float()"), "Call `.float()` on the target.")
    return None
