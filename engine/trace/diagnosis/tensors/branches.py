"""Code that would have used a tensor and did not run: which condition, loop or return kept it from running."""

from __future__ import annotations

import ast
import re

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History

DECIDES = (ast.If, ast.While, ast.For, ast.Match, ast.Try, ast.IfExp)
"""What may leave out a part of itself."""
PARTS = (ast.stmt, ast.match_case, ast.ExceptHandler)
"""What a compound statement may leave out."""
DECIDING = (ast.If, ast.For, ast.While)
FIELDS = frozenset({"weight", "bias"})
"""Parameters of a layer: code names the layer."""


def branch_not_taken(history: History, tensor: int, begun: int) -> Answer | None:
    """For a tensor that nothing used: the answer when the code that mentions it was passed over."""
    names = {name for _, name in history.bound[tensor]} | set(history.trace.tensors[tensor].names)
    parents = {child: node for node in history.nodes for child in ast.iter_child_nodes(node)}
    for node in history.nodes:
        if not isinstance(node, ast.Name | ast.Attribute) or not mentions(node, names):
            continue
        decided = _decided_by(history, node, parents)
        if decided is None:
            continue
        where, how = decided
        label = history.label(tensor)
        return Answer(
            "branch_not_taken",
            f"{label} is used on line {node.lineno} only, {how}, so it is in no graph.",
            f"That is right when this code should not run; else look at line {where.lineno}.",
            begun,
            history.source.header(where) if isinstance(where, ast.stmt) else history.source.span(where),
        )
    return None


def mentions(node: ast.Name | ast.Attribute, names: set[str]) -> bool:
    """Whether code that reads ``node`` may mean a tensor of one of these names (or the layer it belongs to)."""
    if not isinstance(node.ctx, ast.Load):
        return False
    for name in names:
        parts = [part for part in re.split(r"[.\[\]'\"]+", name) if part and not part.isdigit()]
        inner = [part for part in parts[1:] if part not in FIELDS] or parts[1:]
        if isinstance(node, ast.Attribute) and node.attr in inner:
            return True
        alone = len(parts) == 1 or all(part in FIELDS for part in parts[1:])
        if isinstance(node, ast.Name) and alone and parts and node.id == parts[0]:
            return True
    return False


def _decided_by(
    history: History, node: ast.AST, parents: dict[ast.AST, ast.AST]
) -> tuple[ast.stmt | ast.expr, str] | None:
    """(what decided that the code around ``node`` does not run, how to say it); None where it did run."""
    below, current = node, parents.get(node)
    while current is not None:
        if isinstance(current, ast.IfExp) and below is not current.test:
            statement = _statement(current, parents)
            if statement is not None and _ran(history, statement):
                return current, f"in the part of line {current.lineno} that was not chosen"
        if isinstance(current, ast.stmt) and _ran(history, current):
            if isinstance(current, ast.FunctionDef | ast.AsyncFunctionDef):
                return _returned_before(history, below, current, parents)
            if isinstance(current, DECIDES) and below is not node and isinstance(below, PARTS):
                loop = isinstance(current, ast.For | ast.While)
                kept = (
                    "in the loop of line {}, which never turned" if loop else "in a branch of line {} that did not run"
                )
                return current, kept.format(current.lineno)
            return None
        below, current = current, parents.get(current)
    return None


def _returned_before(
    history: History, statement: ast.AST, function: ast.AST, parents: dict[ast.AST, ast.AST]
) -> tuple[ast.stmt, str] | None:
    """What ended the call before a statement of the function's body: a return, or the condition that chose it."""
    returns = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Return) and node.lineno < getattr(statement, "lineno", 0) and _ran(history, node)
    ]
    if not returns:
        return None
    last = max(returns, key=lambda node: node.lineno)
    chosen = parents[last]
    how = f"after the return on line {last.lineno}"
    return (chosen, f"{how}, which line {chosen.lineno} chose") if isinstance(chosen, DECIDING) else (last, how)


def _statement(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.stmt | None:
    current: ast.AST | None = node
    while current is not None and not isinstance(current, ast.stmt):
        current = parents.get(current)
    return current


def _ran(history: History, statement: ast.stmt) -> bool:
    while isinstance(statement, ast.Try):
        statement = statement.body[0]  # `try` itself does nothing that could be reached
    span = history.source.span(statement)
    return (span.line, span.column) in history.lines


def chosen_by_number(history: History, tensor: int) -> bool:
    """Whether it is in a list whose items are chosen by a computed index (``experts[i]``), and was not chosen."""
    lists = {
        part[0] for name in history.trace.tensors[tensor].names for part in re.findall(r"(\w+)\[(\d+|'[^']*')\]", name)
    }
    return any(
        isinstance(node, ast.Subscript)
        and not isinstance(node.slice, ast.Constant | ast.Slice | ast.UnaryOp)
        and re.split(r"\.", ast.unparse(node.value))[-1] in lists
        for node in history.nodes
    )
