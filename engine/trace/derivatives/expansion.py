"""Follows the small functions that derivatives call, so that what is shown is mathematics and not a function's name.

``share(grad, self, reduction)`` becomes what `share` returns, ``grad / self.numel() if reduction == 1 else grad``;
which case holds is decided where a trace's own values are known (`engine.trace.formula`). A function that does more
than choose and calculate stays a call, and is not shown.
"""

from __future__ import annotations

import ast
import copy
import functools
import linecache
from collections.abc import Mapping
from types import FunctionType, ModuleType
from typing import Any

from engine.trace.derivatives.readings import BY_HELPER

DEEPEST = 6
"""Functions inside functions that are followed."""

PRIMITIVES = frozenset({
    "power_backward", "threshold_backward", "spread_back", "spread_backward", "times", "scaled", "zeros", "blank",
    "zeros_for",
})  # fmt: skip
"""Calls that formulas know how to write."""


def forget_sources() -> None:
    """Lets go of the syntax trees."""
    definitions.cache_clear()
    module.cache_clear()


def expanded(body: ast.expr, scope: Mapping[str, Any], depth: int = 0) -> ast.expr:
    """The expression with calls of one-expression functions replaced by what they return. ``scope``: its globals."""
    result: ast.expr = _Expander(scope, depth).visit(body)
    return ast.fix_missing_locations(result)


@functools.cache
def module(filename: str) -> ast.Module:
    """The syntax tree of a source file."""
    return ast.parse("".join(linecache.getlines(filename)))


@functools.cache
def definitions(filename: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """The undecorated functions of a source file, by name and first line."""
    return {
        (node.name, node.lineno): node
        for node in module(filename).body
        if isinstance(node, ast.FunctionDef) and not node.decorator_list
    }


class _Expander(ast.NodeTransformer):
    def __init__(self, scope: Mapping[str, Any], depth: int) -> None:
        self.scope = scope
        self.depth = depth

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Numbers of the module are numbers."""
        value = self.scope.get(node.id)
        return ast.Constant(value) if type(value) in (int, float) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """``math.pi`` stays; what stands before a method is expanded."""
        if not isinstance(node.value, ast.Name) or not isinstance(self.scope.get(node.value.id), ModuleType):
            node.value = self.visit(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call of a function that can be followed, or the call with its arguments expanded."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if isinstance(node.func, ast.Attribute):
            node.func = self.visit(node.func)
        node.args = [self.visit(argument) for argument in node.args]
        if name in BY_HELPER:
            reading = ast.parse(BY_HELPER[name], mode="eval").body
            assert isinstance(reading, ast.Lambda)
            names = [argument.arg for argument in reading.args.args]
            return substituted(reading.body, dict(zip(names, node.args, strict=True)))
        function = self.scope.get(name)
        if name in PRIMITIVES or type(function) is not FunctionType or node.keywords or self.depth >= DEEPEST:
            return node
        return self._followed(function, node.args) or node

    def _followed(self, function: FunctionType, arguments: list[ast.expr]) -> ast.expr | None:
        """What the function returns for these arguments; None where it does more than choose and calculate."""
        code = function.__code__
        tree = definitions(code.co_filename).get((code.co_name, code.co_firstlineno))
        parameters = code.co_varnames[: code.co_argcount]
        if tree is None or len(parameters) != len(arguments) or code.co_kwonlyargcount:
            return None
        returned = _returned(tree.body, dict(zip(parameters, arguments, strict=True)))
        return None if returned is None else expanded(returned, function.__globals__, self.depth + 1)


def _returned(statements: list[ast.stmt], known: dict[str, ast.expr]) -> ast.expr | None:
    """The one expression that statements return, names replaced by what is known of them."""
    for index, statement in enumerate(statements):
        match statement:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                known[name] = substituted(value, known)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                new = [substituted(value, known) for value in values]
                known.update((ast.unparse(name), value) for name, value in zip(names, new, strict=True))
            case ast.If(test=test, body=body, orelse=orelse):
                rest = statements[index + 1 :]
                yes, no = _returned([*body, *rest], dict(known)), _returned([*orelse, *rest], dict(known))
                return None if yes is None or no is None else ast.IfExp(substituted(test, known), yes, no)
            case ast.Return(value=ast.expr() as value):
                return substituted(value, known)
            case _:
                return None
    return None


def substituted(value: ast.expr, known: Mapping[str, ast.expr]) -> ast.expr:
    """A copy of the expression with names replaced."""

    class Replace(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return known.get(node.id, node)

    result: ast.expr = Replace().visit(copy.deepcopy(value))
    return result
