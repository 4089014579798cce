"""Products of shapes that do not fit, the strict ones that take a certain number of dimensions too."""

from __future__ import annotations

import ast
import re

from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.diagnosis.flow import called

SIZE = "shape_mismatch"


def product(call: Call) -> Found:
    """``a @ b`` whose inner lengths differ."""
    if call.layer or len(call.tensors) < 2:
        return None
    left, right = call.tensors[-2:] if "addmm" in call.message else call.tensors[:2]
    a, b = call.shape(left), call.shape(right)
    if not a or not b:
        return None
    if isinstance(call.node, ast.Call) and called(call.node.func) == "linear":
        return by_hand(call, left, right)
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] == inner:
        return None
    text = (
        f"{call.told(left)}, and {call.told(right)}. A product adds up over the last dimension of {call.name(left)} "
        f"and {'the last but one' if len(b) > 1 else 'the only one'} of {call.name(right)}: {a[-1]} against {inner}."
    )
    if len(b) > 1 and b[-1] == a[-1]:
        turned = call.given_as(right, "{}.T" if len(b) == 2 else "{}.transpose(-2, -1)")
        return right, call.answer(SIZE, text, turned, f"Transpose {call.name(right)}.")
    if len(a) > 1 and a[-2] == inner:
        turned = call.given_as(left, "{}.T" if len(a) == 2 else "{}.transpose(-2, -1)")
        if b[-1] == a[0] and len(a) == len(b) == 2:
            turned = exchanged(call, left, right)
        return left, call.answer(SIZE, text, turned, f"Transpose {call.name(left)}.")
    if len(b) > 1 and b[-1] == a[-2 if len(a) > 1 else -1]:
        return left, call.answer(SIZE, text, exchanged(call, left, right), "Exchange the two.")
    return left, call.answer(
        SIZE, text, f"Make {call.name(right)} with {a[-1]} rows, or {call.name(left)} with {inner} columns."
    )


def by_hand(call: Call, given: int, weight: int) -> Found:
    """``F.linear``, which multiplies by the transposed weight."""
    features, wanted = call.shape(given)[-1], call.shape(weight)[-1]
    text = (
        f"{call.told(given)}, and {call.told(weight)}. `linear` takes a weight (out, in) and adds up over the last dimension of both: "
        f"{features} against {wanted}."
    )
    turned = call.shape(weight)[0] == features
    fix = call.given_as(weight, "{}.T") if turned else None
    return given, call.answer(SIZE, text, fix, f"Make {call.name(weight)} with {features} columns.")


RANKS = {
    "mm": ("matrices", 2),
    "bmm": ("batches of matrices", 3),
    "mv": ("a matrix and a vector", 2),
    "dot": ("vectors", 1),
}
"""What the strict products take, and of how many dimensions the first is."""


def rank(call: Call) -> Found:
    """A strict product was given another number of dimensions."""
    name = called(call.node.func) if isinstance(call.node, ast.Call) else ""
    if name not in RANKS or len(call.tensors) < 2 or not isinstance(call.node, ast.Call):
        return None
    left, right = call.tensors[:2]
    kind, count = RANKS[name]
    wrong = left if len(call.shape(left)) != count else right
    text = f"`{name}` multiplies {kind} and nothing else. {call.told(left)}, and {call.told(right)}."
    a, b = call.shape(left), call.shape(right)
    fits = bool(a and b) and a[-1] == (b[-2] if len(b) > 1 else b[0])
    func = call.node.func
    module = "torch." if isinstance(func, ast.Attribute) and call.is_namespace(func.value) else ""
    fix = call.replaced(func, "torch.matmul") if module and fits else None
    return wrong, call.answer(
        SIZE, text, fix, "Use `@`, which takes vectors, matrices and batches, or insert a dimension with `unsqueeze()`."
    )


def exchanged(call: Call, left: int, right: int) -> str | None:
    """The product the other way round."""
    one, other = call.source(left), call.source(right)
    if one is None or other is None or call.span is None:
        return None
    first, second = (call.history.text(call.history.source.span(part)) for part in (one, other))
    text = call.history.text(call.span)
    swapped = re.sub(rf"{re.escape(first)}(\s*[@,]\s*){re.escape(second)}", rf"{second}\1{first}", text, count=1)
    return call.instead(call.span, swapped) if swapped != text else None
