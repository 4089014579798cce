"""Numbers of two types that met: which tensor is the odd one, and where it got its type from."""

from __future__ import annotations

import ast
import re

from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.diagnosis.errors.refused_calls.layers import outermost

TYPE = "dtype_mismatch"


def into_layer(call: Call) -> Found:
    """A layer's weights are float32 and its input is not."""
    given = call.tensor("input")
    if not call.layer or given is None or call.made is None:
        return None
    kind = call.row(given).dtype
    wanted = next((spelled for word, spelled in WORDS.items() if word in call.message and spelled != kind), None)
    if wanted is None:
        return None
    text = f"{held(call, given)}, and the weights of {call.called} are {wanted}.{from_where(call, given)}"
    change = f"{{}}{cast(wanted)}"
    return given, call.answer(TYPE, text, outermost(call, change), f"Call `{cast(wanted)}` on what goes in.")


WORDS = {
    "Double": "float64",
    "double": "float64",
    "BFloat16": "bfloat16",
    "Half": "float16",
    "Float": "float32",
    "float": "float32",
}
"""How messages call the types that weights have."""


def cast(dtype: str) -> str:
    """The method that gives a type."""
    return {"float32": ".float()", "float64": ".double()", "float16": ".half()", "int64": ".long()"}.get(
        dtype, f".to(torch.{dtype})"
    )


def held(call: Call, tensor: int) -> str:
    """`` `x` holds int64 values (`torch.arange(3)`, line 2)``."""
    return f"{call.name(tensor)} holds {call.row(tensor).dtype} values{call.origin(tensor)}"


def from_where(call: Call, tensor: int) -> str:
    """A sentence on what gave it a type that nobody asked for."""
    history = call.history
    for other in history.ancestors(tensor):
        span, kind = call.row(other).span, call.row(other).dtype
        if kind != call.row(tensor).dtype or span is None:
            continue
        text = history.text(span)
        if kind == "float64" and (re.search(r"\bnp\.|numpy", text) or from_array(call, text)):
            return (
                f" Arrays of numpy are float64 unless told otherwise, and the tensor took that over (line {span.line})."
            )
        if kind == "int64" and "arange" in text:
            return f" `arange` of whole numbers gives whole numbers (line {span.line})."
        if kind == "int64" and re.search(r"\btensor\(", text):
            return f" Written without a point, the numbers are whole (line {span.line})."
    return ""


def from_array(call: Call, text: str) -> bool:
    """Whether a name in some source was given an array of numpy."""
    names = set(re.findall(r"[A-Za-z_]\w*", text))
    for node in ast.walk(call.history.tree):
        given = isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in names for t in node.targets)
        if given and isinstance(node, ast.Assign) and re.search(r"\bnp\.|numpy", ast.unparse(node.value)):
            return True
    return "from_numpy" in text


def two(call: Call) -> Found:
    """Two tensors of a product, of which one is to be brought to the other's type."""
    if call.layer or len(call.tensors) < 2:
        return None
    left, right = call.tensors[:2]
    kinds = [call.row(tensor).dtype for tensor in (left, right)]
    if kinds[0] == kinds[1]:
        return None
    odd, other = (left, right) if kinds[1] == "float32" else (right, left)
    if not call.row(other).dtype.startswith("float"):
        odd, other = other, odd
    text = f"{held(call, odd)}, and {held(call, other)}.{from_where(call, odd)}"
    kind = cast(call.row(other).dtype)
    return odd, call.answer(TYPE, text, call.given_as(odd, f"{{}}{kind}"), f"Call `{kind}` on one of them.")


def whole(call: Call) -> Found:
    """An operation that takes real numbers was given whole ones."""
    given = next((t for t in call.tensors if not call.row(t).dtype.startswith(("float", "bfloat", "complex"))), None)
    if given is None or call.layer:
        return None
    text = f"{held(call, given)}, and this takes real numbers.{from_where(call, given)}"
    return given, call.answer(TYPE, text, call.given_as(given, "{}.float()"), "Call `.float()` on it first.")


def index(call: Call) -> Found:
    """An index that is no whole number."""
    given = (
        call.tensor("input")
        if call.layer
        else next((t for t in reversed(call.tensors) if call.row(t).dtype.startswith(("float", "bfloat"))), None)
    )
    if given is None or not call.row(given).dtype.startswith(("float", "bfloat")):
        return None
    text = f"{held(call, given)}, and they are to be indices: whole numbers, of type int64."
    change = outermost(call, "{}.long()") if call.layer else call.given_as(given, "{}.long()")
    return given, call.answer(TYPE, text, change, "Call `.long()` on the index.")
