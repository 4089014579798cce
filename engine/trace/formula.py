"""Formulas: a derivative's text as a typed tree, with names in, with numbers in, as a line of text, and as a number.

`build` walks Python's syntax tree of a derivative (``grad * other``); a function says what stands for each name, so
the same text gives ∂d/∂c · b and 1 · 4. `plain` writes a tree on one line, `evaluate` computes it: what is shown can
be checked.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Mapping

from engine.trace.parts import Formula

Leaf = Callable[[str], Formula | None]
"""What stands for a parameter of a derivative; None where that cannot be shown."""

ATOM, POWER, PRODUCT, SUM, LOOSE = range(5)
"""How strongly a formula holds together; a part that holds less than its place needs is grouped."""

_SAME = {
    "conj", "contiguous", "clone", "detach", "expand", "reshape", "view", "squeeze", "unsqueeze", "unsqueeze_back",
    "spread_back", "to", "expand_as", "reshape_as",
}  # fmt: skip
"""Functions that give the same numbers again, repeated or in another shape: the sentence says so, not the formula."""
_PRODUCTS = {"mm", "bmm", "matmul", "mv", "dot"}
_CALLED = {"log": "ln", "sign": "sgn", "sgn": "sgn"}


def number(text: str) -> Formula:
    """A number as it is to be read."""
    return Formula("number", text)


def name(text: str) -> Formula:
    """A symbol. A label that is an expression is put in parentheses, so that it stays one thing."""
    return Formula("name", text if _is_one_thing(text) else f"({text})")


def _is_one_thing(label: str) -> bool:
    """Whether it has no space outside of brackets."""
    depth = 0
    for character in label:
        depth += (character in "([{") - (character in ")]}")
        if character == " " and depth == 0:
            return False
    return True


def partial(of: str, by: str) -> Formula:
    """∂ of / ∂ by."""
    return Formula("partial", "", [name(of), name(by)])


def equals(*parts: Formula) -> Formula:
    """A chain of equal things."""
    return Formula("equals", "", list(parts))


def operator(symbol: str, *parts: Formula) -> Formula:
    """Parts joined by a symbol, grouped where the symbol binds more strongly than they do."""
    strength = SUM if symbol in "+−" else PRODUCT
    return Formula("operator", symbol, [grouped(part, strength, index > 0) for index, part in enumerate(parts)])


def total(part: Formula) -> Formula:
    """Σ part: its elements added up."""
    return Formula("sum", "", [grouped(part, ATOM)])


def strength(formula: Formula) -> int:
    """How strongly a formula holds together."""
    if formula.kind == "operator":
        return SUM if formula.text in "+−" else PRODUCT if formula.text in "·@" else LOOSE
    if formula.kind == "row" and formula.parts[0].text == "[":
        return ATOM
    if formula.kind in ("row", "sum"):
        return SUM
    if formula.kind == "number" and formula.text.startswith("-"):
        return SUM
    return POWER if formula.kind == "power" else PRODUCT if formula.kind == "fraction" else ATOM


def grouped(formula: Formula, need: int, later: bool = False) -> Formula:
    """The formula, in parentheses where it holds less than ``need`` (or equally, when it is not the first part)."""
    holds = strength(formula)
    if not later and need == PRODUCT and is_negative(formula):
        return formula  # −x · y reads like −(x · y), and is the same
    if holds > need or (later and holds == need and need == SUM):
        return Formula("group", "", [formula])
    return formula


def is_negative(formula: Formula) -> bool:
    """Whether it begins with a minus sign of its own."""
    return formula.text.startswith("-") or (formula.kind == "row" and formula.parts[0].text == "−")


@functools.lru_cache(maxsize=4096)
def parsed(text: str) -> ast.expr | None:
    """The syntax tree of a derivative's text; None when it is not one expression."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


def build(text: str, leaf: Leaf) -> Formula | None:
    """The formula of a derivative's text; None where a part of it cannot be shown."""
    tree = parsed(text) if text else None
    return None if tree is None else _build(tree, leaf)


def _build(node: ast.expr, leaf: Leaf) -> Formula | None:
    match node:
        case ast.Name(id=identifier):
            return leaf(identifier)
        case ast.Constant(value=bool() | int() | float() as value):
            return number(str(value))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            part = _build(operand, leaf)
            return None if part is None else negative(part)
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(op, _build(left, leaf), _build(right, leaf))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _comparison(op, _build(left, leaf), _build(right, leaf))
        case ast.IfExp(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]), body=body, orelse=orelse):
            sides = _build(left, leaf), _build(right, leaf)
            if any(side is None or side.kind != "number" for side in sides):
                return None
            return _build(body if sides[0] == sides[1] else orelse, leaf)
        case ast.Call(func=ast.Attribute(value=receiver, attr=method), args=arguments, keywords=[]):
            return _called(method, [_build(receiver, leaf), *(_build(argument, leaf) for argument in arguments)])
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]):
            return _called(function, [_build(argument, leaf) for argument in arguments])
        case _:
            return None


def negative(part: Formula) -> Formula:
    """−part."""
    if part.kind == "number" and not part.text.startswith("-"):
        return number(f"-{part.text}")
    return Formula("row", "", [Formula("text", "−"), grouped(part, PRODUCT)])


def _binary(op: ast.operator, left: Formula | None, right: Formula | None) -> Formula | None:
    if left is None or right is None:
        return None
    match op:
        case ast.Add():
            return operator("+", left, right)
        case ast.Sub():
            return operator("−", left, right)
        case ast.Mult():
            return operator("·", left, right)
        case ast.Div():
            return Formula("fraction", "", [left, right])
        case ast.Pow():
            return Formula("power", "", [grouped(left, ATOM), right])
        case ast.MatMult():
            return operator("@", left, right)
    return None


_COMPARISONS = {ast.Gt: ">", ast.Lt: "<", ast.GtE: "≥", ast.LtE: "≤", ast.Eq: "=", ast.NotEq: "≠"}


def _comparison(op: ast.cmpop, left: Formula | None, right: Formula | None) -> Formula | None:
    """[x > 0]: 1 where it holds, 0 elsewhere."""
    symbol = _COMPARISONS.get(type(op))
    if left is None or right is None or symbol is None:
        return None
    return Formula("row", "", [Formula("text", "["), left, Formula("text", symbol), right, Formula("text", "]")])


def _called(function: str, arguments: list[Formula | None]) -> Formula | None:
    first = arguments[0] if arguments else None
    if first is None:
        return None
    if function in _SAME:
        return first
    if function in ("t", "mT", "T", "transpose", "adjoint"):
        return Formula("transpose", "", [grouped(first, ATOM)])
    parts = [argument for argument in arguments if argument is not None]
    if len(parts) < len(arguments):
        return None
    match function, parts:
        case _, [left, right] if function in _PRODUCTS:
            return operator("@", left, right)
        case "power_backward" | "pow_backward", [grad, base, exponent]:
            return powered(grad, base, exponent)
        case "threshold_backward", [grad, result, bound]:
            holds = Formula(
                "row", "", [Formula("text", "["), result, Formula("text", ">"), bound, Formula("text", "]")]
            )
            return operator("·", grad, holds)
        case "sum", [part, *_]:
            return total(part)
        case "mul" | "scaled" | "times", [left, right]:
            return left if right == number("1") else operator("·", left, right)
        case "div", [left, right]:
            return Formula("fraction", "", [left, right])
        case "pow", [left, right]:
            return Formula("power", "", [grouped(left, ATOM), right])
        case "square", [part]:
            return Formula("power", "", [grouped(part, ATOM), number("2")])
        case "exp", [part]:
            return Formula("power", "", [name("e"), part])
        case "sqrt", [part]:
            return Formula("root", "", [part])
        case "neg", [part]:
            return negative(part)
        case "reciprocal", [part]:
            return Formula("fraction", "", [number("1"), part])
    return Formula("call", _CALLED.get(function, function), parts)


def powered(grad: Formula, base: Formula, exponent: Formula) -> Formula:
    """grad · n · xⁿ⁻¹."""
    try:
        less = float(exponent.text) - 1 if exponent.kind == "number" else None
    except ValueError:
        less = None
    if less is None:
        reduced = operator("−", exponent, number("1"))
    else:
        reduced = number(str(int(less)) if less == int(less) else f"{less:g}")
    if reduced == number("1"):
        return operator("·", grad, exponent, base)
    return operator("·", grad, exponent, Formula("power", "", [grouped(base, ATOM), reduced]))


# ── reading a formula ────────────────────────────────────────────────────────────────────────────────────────────────


def plain(formula: Formula) -> str:
    """The formula on one line of text."""
    parts = [plain(part) for part in formula.parts]
    match formula.kind:
        case "operator":
            return f" {formula.text} ".join(parts)
        case "fraction":
            top, bottom = formula.parts
            return f"{plain(grouped(top, PRODUCT))} / {plain(grouped(bottom, POWER))}"
        case "power":
            exponent = formula.parts[1]
            return f"{parts[0]}^{parts[1] if strength(exponent) == ATOM else f'({parts[1]})'}"
        case "root":
            return f"√({parts[0]})"
        case "row":
            return _row(formula, parts)
        case "group":
            return f"({parts[0]})"
        case "call":
            return f"{formula.text}({', '.join(parts)})"
        case "partial":
            return f"∂{parts[0]}/∂{parts[1]}"
        case "equals":
            return " = ".join(parts)
        case "transpose":
            return f"{parts[0]}ᵀ"
        case "norm":
            return f"‖{parts[0]}‖"
        case "sum":
            return f"Σ {parts[0]}"
        case _:
            return formula.text


def _row(formula: Formula, parts: list[str]) -> str:
    if formula.parts[0].text == "[":
        return f"[{' '.join(parts[1:-1])}]"
    return "".join(parts)


def leaves(formula: Formula) -> int:
    """How many symbols it has: a measure of what can be taken in at a glance."""
    return 1 if not formula.parts else sum(map(leaves, formula.parts))


def evaluate(formula: Formula, values: Mapping[str, float]) -> float:
    """The number that the formula is.

    Raises:
        ValueError: for parts that are no arithmetic of single numbers, and for names without a value.
    """
    parts = formula.parts
    match formula.kind:
        case "number":
            return float(formula.text)
        case "name":
            if formula.text == "e" and "e" not in values:
                return math.e
            if formula.text not in values:
                raise ValueError(f"no number is known for {formula.text}")
            return values[formula.text]
        case "operator":
            numbers = [evaluate(part, values) for part in parts]
            return functools.reduce(_ARITHMETIC[formula.text], numbers)
        case "fraction":
            top, bottom = (evaluate(part, values) for part in parts)
            return top / bottom if bottom else top * math.copysign(math.inf, bottom)
        case "power":
            base, exponent = (evaluate(part, values) for part in parts)
            return float(base**exponent)
        case "root":
            return math.sqrt(evaluate(parts[0], values))
        case "group" | "transpose":
            return evaluate(parts[0], values)
        case "row" if parts[0].text == "−":
            return -evaluate(parts[1], values)
        case "row" if parts[0].text == "[":
            return float(_HOLDS[parts[2].text](evaluate(parts[1], values), evaluate(parts[3], values)))
        case "call" if formula.text in _FUNCTIONS:
            return _FUNCTIONS[formula.text](evaluate(parts[0], values))
    raise ValueError(f"{formula.kind} {formula.text} is no arithmetic of single numbers")


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": lambda x, y: x + y,
    "−": lambda x, y: x - y,
    "·": lambda x, y: x * y,
    "@": lambda x, y: x * y,
}
_HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">": lambda x, y: x > y,
    "<": lambda x, y: x < y,
    "≥": lambda x, y: x >= y,
    "≤": lambda x, y: x <= y,
    "=": lambda x, y: x == y,
    "≠": lambda x, y: x != y,
}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "ln": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "tanh": math.tanh,
    "abs": abs,
    "sgn": lambda x: math.copysign(1.0, x) if x else 0.0,
}
