"""The text of every operator's derivatives, as it stands in the operator's own declaration.

The lambda that runs in backward is the text that is shown, so the explanation cannot drift from the code. Texts are
read once from the source files, when the drop-in is loaded; a sandboxed run opens no file.
"""

from __future__ import annotations

import ast
import copy
import inspect
from types import CodeType
from typing import Any

from engine.ops.core import catalogue
from engine.trace.derivatives.expansion import expanded, forget_sources, module, substituted
from engine.trace.derivatives.readings import AT_KINKS, BY_OPERATOR

_texts: dict[Any, dict[str, str]] = {}


def load() -> None:
    """Reads the derivatives of every operator in the catalogue that was not read yet."""
    lambdas: dict[str, dict[tuple[int, int], ast.Lambda]] = {}
    for operator in catalogue.operators():
        if operator not in _texts:
            own = {name: _text(function, lambdas) for name, function in operator.sources.items()}
            told = {name: by_name(text) for name, text in {**own, **BY_OPERATOR.get(operator.name, {})}.items()}
            kinks = AT_KINKS.get(operator.name, {})
            _texts[operator] = {
                name: at_kinks(text, kinks[name]) if name in kinks else text for name, text in told.items()
            }
    forget_sources()


def texts(operator: Any) -> dict[str, str]:
    """Derivative text by argument name (``joint`` for one that yields all); empty for what was not declared, or is refused."""
    return _texts.get(operator, {})


def at_kinks(text: str, kink: str) -> str:
    """The derivative for points where the function is smooth, and for the others, ``regular`` in whose text is the former."""
    regular, elsewhere = (ast.parse(part, mode="eval").body for part in (text, kink))
    return ast.unparse(ast.IfExp(ast.Name("smooth"), regular, substituted(elsewhere, {"regular": regular})))


def conjugated(text: str) -> str:
    """The derivative of a complex result, for one that is written as in complex analysis: all but ``grad`` conjugated."""
    return ast.unparse(_Conjugating(("grad", "grads")).visit(ast.parse(text, mode="eval").body)) if text else ""


def by_name(text: str) -> str:
    """The text with conjugates taken of tensors, not of what is made from them: a real tensor's is not shown."""
    return ast.unparse(_ByName().visit(ast.parse(text, mode="eval").body)) if ".conj()" in text else text


class _Conjugating(ast.NodeTransformer):
    """Puts ``.conj()`` behind every tensor: conj(f(x)) = f(conj(x)) for what has a power series with real coefficients."""

    def __init__(self, kept: tuple[str, ...] = ()) -> None:
        self.kept = (*kept, "math", "smooth")

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return node if node.id in self.kept else ast.Call(ast.Attribute(node, "conj"), [], [])

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return ast.IfExp(node.test, self.visit(node.body), self.visit(node.orelse))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node.func:
            case ast.Attribute(value=ast.Name(), attr="conj"):
                return node.func.value
            case ast.Attribute(value=value):
                node.func.value = self.visit(value)
        node.args = [self.visit(argument) for argument in node.args]
        return node


class _ByName(ast.NodeTransformer):
    """Turns ``(f(x)).conj()`` into ``f(x.conj())``."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.expr() as inner, attr="conj") if not isinstance(inner, ast.Name):
                conjugate: ast.expr = _Conjugating().visit(inner)
                return conjugate
        return node


def _text(function: Any, lambdas: dict[str, dict[tuple[int, int], ast.Lambda]]) -> str:
    if getattr(function, "refuses", False):
        return ""
    slope = getattr(function, "slope", None)
    if slope is not None:
        # A pointwise operator states its slope; the chain rule is added by its declaration.
        inner = ast.parse(_text(slope, lambdas), mode="eval").body
        return ast.unparse(ast.BinOp(ast.Name("grad"), ast.Mult(), inner))
    code: CodeType = function.__code__
    if code.co_name != "<lambda>":
        return f"{function.__name__}({', '.join(inspect.signature(function).parameters)})"
    if code.co_filename not in lambdas:
        found = (node for node in ast.walk(module(code.co_filename)) if isinstance(node, ast.Lambda))
        lambdas[code.co_filename] = {(node.body.lineno, node.body.col_offset): node for node in found}
    start = min((line, column) for line, _, column, _ in _body_positions(code))
    node = lambdas[code.co_filename].get(start)
    if node is None:
        return ""
    return ast.unparse(expanded(copy.deepcopy(node.body), function.__globals__))


def _body_positions(code: CodeType) -> list[tuple[int, int, int, int]]:
    """Where the lambda's own instructions stand; the entry instructions have no columns of the body."""
    return [
        (line, end_line, column, end_column)
        for line, end_line, column, end_column in code.co_positions()
        if line is not None and end_line is not None and column is not None and end_column is not None
        if (end_line, end_column) > (line, column)
    ]
