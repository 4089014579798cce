"""What to write in place of a piece of code that took a value out of the graph."""

from __future__ import annotations

import ast
import math

from engine.trace.diagnosis.flow import called, path
from engine.trace.diagnosis.history import History
from engine.trace.marks import bare, code
from engine.trace.parts import Span

TAKING = frozenset(
    {"detach", "data", "item", "tolist", "numpy", "cpu", "clone", "float", "int", "bool", "list", "array", "asarray"}
)
"""Methods, attributes and functions that hand out what they were given, without its history."""
COPYING = frozenset({"tensor", "Tensor", "FloatTensor", "DoubleTensor", "as_tensor"})
"""What makes a new tensor of numbers."""
IN_TORCH = frozenset(
    "exp log sqrt sin cos tan tanh sinh cosh pow atan asin acos log2 log10 log1p expm1 floor ceil".split()
)
"""Functions of Python's ``math`` that torch has too."""


def kept(history: History, span: Span | None, source: int) -> str | None:
    """The code in the columns without what takes its value out of the graph: ``f(x)[0]`` of ``f(x)[0].detach()``."""
    text = history.text(span)
    node: ast.expr | None = expression(text)
    while node is not None:
        inner = _given(node)
        if inner is None:
            break
        node = inner
    written = ast.get_source_segment(text, node) if node is not None else None
    return written if written and written != text else history.expression(source)


def _given(node: ast.expr) -> ast.expr | None:
    """What a departure was given: the tensor in ``t.item()``, ``t.data``, ``float(t)``."""
    match node:
        case ast.Attribute(value=value, attr="data"):
            return value
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy" | "math" | "torch")), args=[argument]):
            return argument if called(node.func) in TAKING else None
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[]) if attr in TAKING:
            return value
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in TAKING or name == "Variable":
            return argument
        case _:
            return None


def in_torch(history: History, span: Span | None) -> str | None:
    """``torch.exp(s)`` for ``math.exp(s)``; None where it is something else."""
    match expression(history.text(span)):
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr=name), args=[_]) if name in IN_TORCH:
            return history.text(span).replace("math.", "torch.", 1)
        case ast.Call(func=ast.Name(id=name), args=[_]) if (
            name in IN_TORCH and "from math import" in history.trace.code
        ):
            return f"torch.{history.text(span)}"
        case _:
            return None


def later_functions(history: History, span: Span | None) -> list[str]:
    """Functions of ``math``, as they are written, that compute with a number after it was taken out of its tensor."""
    if span is None:
        return []
    calls = [node for node in history.nodes if isinstance(node, ast.Call) and node.args]
    imported = "from math import" in history.trace.code
    found = [
        path(node.func)
        for node in calls
        if (path(node.func).startswith("math.") or (imported and isinstance(node.func, ast.Name)))
        and called(node.func) in IN_TORCH
        and history.source.span(node) != span
        and history.flow.carries(span, history.source.span(node.args[0]))
    ]
    return list(dict.fromkeys(found))


def joined(history: History, span: Span | None, source: int) -> str | None:
    """``torch.stack(losses)`` for ``torch.tensor(losses)``; None where a single tensor was copied."""
    text = history.text(span)
    match expression(text):
        case ast.Call(func=func, args=[argument, *_]) if called(func) in COPYING:
            given = ast.get_source_segment(text, argument) or ""
            copies = (event for event in history.event.values() if event.span == span and event.how == "created")
            shape = next((event.value.shape for event in copies), [])
            if not holds_many(history, argument, given, source, shape):
                return None
            # Of tensors with one element each, torch.tensor() makes a row, however many dimensions they have.
            flat = len(shape) == 1 and bool(history.trace.tensors[source].shape)
            return stack(text, argument) + (".flatten()" if flat else "")
        case _:
            return None


def holds_many(history: History, argument: ast.expr, given: str, source: int, shape: list[int]) -> bool:
    """Whether what was copied is a list; ``shape`` is that of the copy."""
    more = math.prod(shape) > math.prod(history.trace.tensors[source].shape)
    if more or isinstance(argument, ast.List | ast.Tuple | ast.ListComp):
        return True
    if not isinstance(argument, ast.Name | ast.Attribute) or history.named(given) is not None:
        return False
    return bool(shape) or bare(history.label(source)).startswith(f"{given}[")


def stack(text: str, argument: ast.expr) -> str:
    """The code that joins; rows of rows row by row, plain numbers as tensors."""
    match argument:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if parts:
            return f"torch.stack([{', '.join(_part(text, part) for part in parts)}])"
        case ast.ListComp(elt=ast.List() | ast.Tuple() as inner):
            whole = ast.get_source_segment(text, argument) or ""
            return f"torch.stack({whole.replace(ast.get_source_segment(text, inner) or '', stack(text, inner), 1)})"
        case _:
            return f"torch.stack({ast.get_source_segment(text, argument)})"


def _part(text: str, part: ast.expr) -> str:
    match part:
        case ast.List() | ast.Tuple():
            return stack(text, part)
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return f"torch.tensor({ast.get_source_segment(text, part)})"
        case _:
            return ast.get_source_segment(text, part) or ""


def expression(text: str) -> ast.expr | None:
    """A piece of source as an expression; None where it is none."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None


def copied_later(history: History, step: int, carried: list[int]) -> tuple[str, Span] | None:
    """(the call, its columns) that puts a number which was taken out into a new tensor: ``torch.tensor(total)``."""
    for tensor in carried:
        event = history.event.get(tensor)
        if event is not None and event.how == "created" and event.span is not None and history.made[tensor] > step:
            made = expression(history.text(event.span))
            if isinstance(made, ast.Call) and called(made.func) in COPYING:
                return code(history.text(event.span)), event.span
    return None
