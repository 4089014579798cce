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

DEEPEST = 6
"""Functions inside functions that are followed."""

READINGS = {
    "base_backward": "lambda grad, x, n: power_backward(grad, x, n)",
    "exponent_backward": "lambda grad, x, n, y: grad * y * x.log()",
    "product_backward": "lambda grad, x, y, dim, keepdim: grad * y / x",
    "mean_backward": "lambda grad, shape, dim, keepdim: grad / averaged_numel",
    "norm_backward": "lambda grad, x, p, y, dim, keepdim: "
    "grad * x / y if p is None or p == 2 else grad * x.sgn() if p == 1 else unreadable(p)",
    "hardtanh_backward": "lambda grad, x, low, high: where((x > low) & (x < high), grad, 0)",
    "hardshrink_backward": "lambda grad, x, bound: where(x.abs() > bound, grad, 0)",
    "softshrink_backward": "lambda grad, x, bound: where(x.abs() > bound, grad, 0)",
    "leaky_relu_backward": "lambda grad, x, slope: where(x > 0, grad, grad * slope)",
    "softplus_backward": "lambda grad, x, beta, threshold: grad * (x * beta).sigmoid()",
    "logsumexp_backward": "lambda grad, x, y, dim, keepdim: grad * (x - y).exp()",
    "repeated": "lambda grad, shape: grad.expand(shape)",
    "choose": "lambda mask, yes, no: where(mask, yes, no)",
    "clamp_backward": "lambda grad, x, low, high: "
    "where((x >= low) & (x <= high), grad, 0) if low is not None and high is not None "
    "else where(x <= high, grad, 0) if low is None else where(x >= low, grad, 0)",
}
"""Derivatives that are kernels or look at values, told as mathematics (away from the points where they switch)."""
PRIMITIVES = frozenset({"power_backward", "threshold_backward", "spread_back", "spread_backward", "times", "scaled"})
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
        if name in READINGS:
            reading = ast.parse(READINGS[name], mode="eval").body
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
