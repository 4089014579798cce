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
from engine.trace.expansion import expanded, forget_sources, module
from engine.trace.readings import BY_OPERATOR

_texts: dict[Any, dict[str, str]] = {}


def load() -> None:
    """Reads the derivatives of every operator in the catalogue that was not read yet."""
    lambdas: dict[str, dict[tuple[int, int], ast.Lambda]] = {}
    for operator in catalogue.OPERATORS:
        if operator not in _texts:
            own = {name: _text(function, lambdas) for name, function in operator.sources.items()}
            _texts[operator] = {**own, **BY_OPERATOR.get(operator.name, {})}
    forget_sources()


def texts(operator: Any) -> dict[str, str]:
    """Derivative text by argument name (``joint`` for one that yields all); empty for what was not declared."""
    return _texts.get(operator, {})


def _text(function: Any, lambdas: dict[str, dict[tuple[int, int], ast.Lambda]]) -> str:
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
