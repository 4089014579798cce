"""NaN and infinite numbers: the input is kept away from where the trouble is."""

from __future__ import annotations

import ast
import re

from tests.engine.trace.why.remedies.edits import Broken
from tests.engine.trace.why.remedies.registry import says


@says(r"^Add a small number under the root|^Keep it above zero: `torch\.sqrt")
def under_root(broken: Broken, found: re.Match[str]) -> list[str]:
    """``x + 1e-8``, or ``x.clamp(min=1e-8)``."""
    way = "({} + 1e-8)" if found[0].startswith("Add") else "({}).clamp(min=1e-8)"
    return on_argument(broken, way, ("sqrt",))


@says(r"^Keep the (?:input|base) above zero")
def above_zero(broken: Broken, found: re.Match[str]) -> list[str]:
    """``x.clamp(min=1e-6)``."""
    return on_argument(broken, "({}).clamp(min=1e-6)", ("log", "log2", "log10", "pow", "log1p"))


@says(r"^Keep the input inside")
def inside(broken: Broken, found: re.Match[str]) -> list[str]:
    """Within the open interval."""
    return on_argument(broken, "({}).clamp(-1 + 1e-6, 1 - 1e-6)", ("acos", "asin", "atanh", "arccos", "arcsin"))


@says(r"^Add a small number to the divisor")
def divisor(broken: Broken, found: re.Match[str]) -> list[str]:
    """Added to what is divided by."""
    node = expression(broken)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
        return []
    return [broken.instead(broken.span, f"{ast.unparse(node.left)} / ({ast.unparse(node.right)} + 1e-8)")]


@says(r"^Mend what is (?:infinite|NaN) first, on line (\d+): (.+)$")
def infinite_first(broken: Broken, found: re.Match[str]) -> list[str]:
    """What the remedy for the first number that is not finite says, at its line."""
    node = broken.on_line(int(found[1]))
    if found[2].startswith("keep the input above zero"):
        return everywhere(broken, node, "({}).clamp(min=1e-6)", ("log",))
    if found[2].startswith("add a small number to the divisor"):
        return divided(broken, node)
    return []


def everywhere(broken: Broken, node: ast.stmt, way: str, names: tuple[str, ...]) -> list[str]:
    """Every call of some functions in a statement with its argument changed."""

    class Changed(ast.NodeTransformer):
        def visit_Call(self, call: ast.Call) -> ast.AST:
            self.generic_visit(call)
            if isinstance(call.func, ast.Attribute) and call.func.attr in names:
                own = not (isinstance(call.func.value, ast.Name) and call.func.value.id == "torch")
                given = call.func.value if own else call.args[0]
                safe = ast.parse(way.format(ast.unparse(given)), mode="eval").body
                if own:
                    call.func.value = safe
                else:
                    call.args[0] = safe
            return call

    return [broken.replaced(node, ast.unparse(Changed().visit(ast.parse(broken.words(node)))))]


def divided(broken: Broken, node: ast.stmt) -> list[str]:
    """Every division in a statement with a small number added to the divisor."""

    class Changed(ast.NodeTransformer):
        def visit_BinOp(self, operation: ast.BinOp) -> ast.AST:
            self.generic_visit(operation)
            if isinstance(operation.op, ast.Div):
                operation.right = ast.parse(f"({ast.unparse(operation.right)} + 1e-8)", mode="eval").body
            return operation

    return [broken.replaced(node, ast.unparse(Changed().visit(ast.parse(broken.words(node)))))]


def expression(broken: Broken) -> ast.expr | None:
    """What stands in the guilty columns."""
    try:
        return ast.parse(broken.text(broken.span).strip(), mode="eval").body
    except SyntaxError:
        return None


def on_argument(broken: Broken, way: str, names: tuple[str, ...]) -> list[str]:
    """The call in the guilty columns with its argument changed."""
    node = expression(broken)
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=name), args=[argument, *rest]) if (
            name in names
        ):
            given = way.format(ast.unparse(argument))
            return [broken.instead(broken.span, f"torch.{name}({', '.join([given, *map(ast.unparse, rest)])})")]
        case ast.Call(func=ast.Attribute(value=argument, attr=name), args=rest) if name in names:
            given = way.format(ast.unparse(argument))
            return [broken.instead(broken.span, f"{given}.{name}({', '.join(map(ast.unparse, rest))})")]
        case ast.BinOp(left=argument, op=ast.Pow(), right=right) if "pow" in names or "sqrt" in names:
            return [broken.instead(broken.span, f"{way.format(ast.unparse(argument))} ** {ast.unparse(right)}")]
        case _:
            return []
