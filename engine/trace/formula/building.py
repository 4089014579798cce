"""From a derivative's text (``grad * other``) to a formula.

Each text is compiled once, to functions that ask a `Leaf` what stands for each name: so the same text gives ∂d/∂c · b
and 1 · 4, thousands of times in a trace.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable

from engine.trace.formula.conditions import decider
from engine.trace.formula.functions import SAME, SWAPPED, called
from engine.trace.formula.tree import (
    ONE,
    ZERO,
    call,
    fails,
    fraction,
    holds,
    name,
    negative,
    number,
    operator,
    power,
    transpose,
)
from engine.trace.parts import Formula

Leaf = Callable[[str], Formula | None]
"""What stands for a parameter of a derivative; None where that cannot be shown."""
Maker = Callable[[Leaf], Formula | None]
"""A compiled text."""

_JOINED: dict[type[ast.operator], Callable[[Formula, Formula], Formula]] = {
    ast.Add: functools.partial(operator, "+"),
    ast.Sub: functools.partial(operator, "−"),
    ast.Mult: functools.partial(operator, "·"),
    ast.MatMult: functools.partial(operator, "@"),
    ast.BitAnd: functools.partial(operator, "·"),
    ast.BitOr: functools.partial(operator, "∨"),
    ast.Div: fraction,
    ast.Pow: power,
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Gt: ">",
    ast.Lt: "<",
    ast.GtE: "≥",
    ast.LtE: "≤",
    ast.Eq: "=",
    ast.NotEq: "≠",
}
_HIDDEN_ARGUMENTS = frozenset({"keepdim", "dim", "dtype"})
"""Arguments by name that change no number of what is shown."""


@functools.lru_cache(maxsize=4096)
def parsed(text: str) -> ast.expr | None:
    """The syntax tree of a derivative's text; None when it is not one expression."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


@functools.lru_cache(maxsize=4096)
def names_in(text: str) -> tuple[str, ...]:
    """The parameters that a derivative's text mentions, each once."""
    tree = parsed(text)
    names = () if tree is None else (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    return tuple(dict.fromkeys(names))


def build(text: str, leaf: Leaf) -> Formula | None:
    """The formula of a derivative's text; None where a part of it cannot be shown."""
    return compiled(text)(leaf)


@functools.lru_cache(maxsize=4096)
def compiled(text: str) -> Maker:
    """What makes the formula of a text."""
    tree = parsed(text) if text else None
    return _never if tree is None else _compile(tree)


def _never(leaf: Leaf) -> None:
    """For what cannot be shown."""


def _constant(formula: Formula) -> Maker:
    return lambda leaf: formula


def _symbol(words: str) -> Maker:
    """For a symbol of the text's own: what the `Leaf` says that it stands for, else itself."""
    return lambda leaf: leaf(repr(words)) or name(words)


def _one(part: Maker, make: Callable[[Formula], Formula | None]) -> Maker:
    def maker(leaf: Leaf) -> Formula | None:
        made = part(leaf)
        return None if made is None else make(made)

    return maker


def _two(left: Maker, right: Maker, make: Callable[[Formula, Formula], Formula | None]) -> Maker:
    def maker(leaf: Leaf) -> Formula | None:
        first = left(leaf)
        second = None if first is None else right(leaf)
        return None if first is None or second is None else make(first, second)

    return maker


def _compile(node: ast.expr) -> Maker:
    match node:
        case ast.Name(id=identifier):
            return lambda leaf: leaf(identifier)
        case ast.Subscript(value=ast.Name(id="grads"), slice=ast.Constant(value=int() as index)):
            return lambda leaf: leaf(f"grads[{index}]" if index else "grad")
        case ast.Subscript(value=ast.Name(id=identifier), slice=ast.Constant(value=int() as index)):
            return lambda leaf: leaf(f"{identifier}[{index}]")
        case ast.Subscript(value=value, slice=ast.Tuple() | ast.Constant(value=None)):
            return _compile(value)  # new axes of length one
        case ast.Constant(value=str() as words):
            return _constant(Formula("text", words)) if " " in words else _symbol(words)
        case ast.Constant(value=complex() as value) if value == 1j:
            return _constant(name("i"))
        case ast.Constant(value=None | bool() | int() | float() as value):
            return _constant(number(f"{value:.6g}" if isinstance(value, float) else str(value)))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=identifier), attr="conj"), args=[]):
            return lambda leaf: leaf(f"{identifier}.conj()")
        case ast.Attribute(value=ast.Name(id="math"), attr="pi"):
            return _constant(name("π"))
        case ast.Attribute(value=ast.Name(id="math"), attr="inf"):
            return _constant(name("∞"))
        case ast.Attribute(value=value, attr=attribute) if attribute in SWAPPED:
            return _one(_compile(value), transpose)
        case ast.Attribute(value=value, attr="real" | "imag" as attribute):
            return _one(_compile(value), functools.partial(call, {"real": "Re", "imag": "Im"}[attribute]))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _one(_compile(operand), negative)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return _one(_compile(operand), fails)
        case ast.BinOp(left=left, op=ast.Div(), right=right) if _is_count(right):
            return _two(_compile(left), _compile(right), _shared)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _JOINED:
            return _two(_compile(left), _compile(right), _JOINED[type(op)])
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            symbol = _COMPARISONS[type(op)]
            return _two(_compile(left), _compile(right), lambda first, second: holds(first, symbol, second))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _either(test, _compile(body), _compile(orelse))
        case ast.Call(func=function, args=arguments, keywords=keywords):
            return _compile_call(function, arguments, keywords)
        case _:
            return _never


def _is_count(node: ast.expr) -> bool:
    """Whether it is a number of elements."""
    return (isinstance(node, ast.Name) and node.id.endswith("numel")) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "numel"
    )


def _shared(whole: Formula, count: Formula) -> Formula:
    """The whole divided by a number of elements; what one element gets is all of it."""
    return whole if count == ONE else fraction(whole, count)


def _either(test: ast.expr, yes: Maker, no: Maker) -> Maker:
    holds_for = decider(test, _compile)

    def maker(leaf: Leaf) -> Formula | None:
        held = holds_for(leaf)
        return None if held is None else yes(leaf) if held else no(leaf)

    return maker


def _compile_call(function: ast.expr, arguments: list[ast.expr], keywords: list[ast.keyword]) -> Maker:
    match function:
        case ast.Name(id="zeros" | "blank" | "zeros_for" | "overwritten" | "no_slope"):
            return _constant(ZERO)
        case ast.Name(id="wrap") if isinstance(arguments[0], ast.Call) and ast.unparse(arguments[0].func) == "np.zeros":
            return _constant(ZERO)
        case ast.Attribute(attr="div") if [keyword.arg for keyword in keywords] == ["rounding_mode"]:
            floors = ast.literal_eval(keywords[0].value) == "floor"
            return _compile_call(
                ast.Name("rounded_down" if floors else "rounded_off"), [function.value, *arguments], []
            )
        case ast.Attribute(value=ast.Name(id=identifier), attr="numel") if not arguments:
            return lambda leaf: leaf(f"{identifier}_numel")
        case ast.Attribute(value=ast.Name(id="math" | "np"), attr=method):
            written, parts = method, arguments
        case ast.Attribute(value=receiver, attr=method):
            written, parts = method, [receiver, *arguments]
        case ast.Name(id=written):
            parts = arguments
        case ast.Subscript(
            value=ast.Subscript(value=ast.Name(id="TABLES")), slice=ast.Constant(value=str() as written)
        ):
            parts = arguments
        case _:
            return _never
    parts = [*parts, *(keyword.value for keyword in keywords if keyword.arg not in _HIDDEN_ARGUMENTS)]
    if not parts or any(isinstance(part, ast.Starred) for part in parts):
        return _never
    if written in SAME:
        return _compile(parts[0])
    return _call(written, [_compile(part) for part in parts])


def _call(written: str, makers: list[Maker]) -> Maker:
    def maker(leaf: Leaf) -> Formula | None:
        parts = [part(leaf) for part in makers]
        return None if parts[0] is None else called(written, parts)

    return maker
