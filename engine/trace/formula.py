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
    "conj", "contiguous", "clone", "detach", "expand", "reshape", "view", "squeeze", "unsqueeze", "spread_back", "to",
    "expand_as", "reshape_as", "restored", "unsqueezed", "over_batch", "summed_to", "view_as", "real_if_real",
}  # fmt: skip
"""Functions that give the same numbers again, repeated or in another shape: the sentence says so, not the formula."""
_PRODUCTS = {"mm", "bmm", "matmul", "mv", "dot"}
_CALLED = {
    "log": "ln", "sign": "sgn", "sgn": "sgn", "abs": "abs", "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "sigmoid": "σ", "erf": "erf", "erfinv": "erf⁻¹", "floor": "floor",
    "log2": "log₂", "log10": "log₁₀", "digamma": "ψ", "relu": "relu", "asin": "arcsin", "acos": "arccos",
    "atan": "arctan", "i0": "I₀", "i1": "I₁", "max": "max", "min": "min",
}  # fmt: skip
"""Functions of mathematics, by how they are written. A call of anything else is not shown."""
_FLIPPED = {">": "≤", "<": "≥", "≥": "<", "≤": ">", "=": "≠", "≠": "="}


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
        case ast.Subscript(value=ast.Name(id="grads"), slice=ast.Constant(value=0)):
            return leaf("grad")
        case ast.Constant(value=None | bool() | int() | float() as value):
            return number(f"{value:.6g}" if isinstance(value, float) else str(value))
        case ast.Attribute(value=ast.Name(id="math"), attr="pi"):
            return name("π")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            part = _build(operand, leaf)
            return None if part is None else negative(part)
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            return _product(_build(left, leaf), _build(right, leaf))
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(op, _build(left, leaf), _build(right, leaf))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _comparison(op, _build(left, leaf), _build(right, leaf))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            holds = decided(test, leaf)
            return None if holds is None else _build(body if holds else orelse, leaf)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=identifier), attr="numel"), args=[], keywords=[]):
            return leaf(f"{identifier}_numel")
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr=method), args=[argument], keywords=[]):
            return _called(method, [_build(argument, leaf)])
        case ast.Call(func=ast.Attribute(value=receiver, attr=method), args=arguments, keywords=[]):
            return _called(method, [_build(receiver, leaf), *(_build(argument, leaf) for argument in arguments)])
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]):
            return _called(function, [_build(argument, leaf) for argument in arguments])
        case _:
            return None


def decided(test: ast.expr, leaf: Leaf) -> bool | None:
    """Whether a condition on plain values holds; None where it depends on what is not known."""
    match test:
        case ast.BoolOp(op=op, values=values):
            known = [decided(value, leaf) for value in values]
            decisive = isinstance(op, ast.Or)
            return decisive if decisive in known else None if None in known else not decisive
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            holds = decided(operand, leaf)
            return None if holds is None else not holds
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            side = _build(left, leaf)
            return None if side is None else (side.text == "None") == isinstance(op, ast.Is)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]):
            sides = [_plain(left, leaf), _plain(right, leaf)]
            return None if None in sides else (sides[0] == sides[1]) == isinstance(op, ast.Eq)
        case ast.Name(id=identifier) if (value := leaf(identifier)) is not None and value.text in ("True", "False"):
            return value.text == "True"
        case _:
            return None


def _plain(node: ast.expr, leaf: Leaf) -> str | float | None:
    """A plain value as something to compare; None for tensors and what is not known."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return repr(node.value)
    built = _build(node, leaf)
    if built is None or built.kind != "number":
        return None
    try:
        return float(built.text)
    except ValueError:
        return built.text


def _product(left: Formula | None, right: Formula | None) -> Formula | None:
    return None if left is None or right is None else operator("·", left, right)


def _chosen(condition: Formula, yes: Formula, no: Formula) -> Formula | None:
    """yes · [condition] + no · [otherwise]."""
    zero = number("0")
    if no == zero:
        return _product(yes, condition)
    parts = condition.parts
    if condition.kind != "row" or len(parts) != 5 or parts[2].text not in _FLIPPED:
        return None
    otherwise = Formula("row", "", [*parts[:2], Formula("text", _FLIPPED[parts[2].text]), *parts[3:]])
    if yes == zero:
        return _product(no, otherwise)
    return operator("+", operator("·", yes, condition), operator("·", no, otherwise))


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
            return left if right in (number("1"), number("None")) else operator("·", left, right)
        case "where", [condition, yes, no]:
            return _chosen(condition, yes, no)
        case "masked_fill", [part, condition, filling]:
            return _chosen(condition, filling, part)
        case "zeros" | "zeros_for", [_]:
            return number("0")
        case "square", [part]:
            return Formula("power", "", [grouped(part, ATOM), number("2")])
        case "rsqrt", [part]:
            return Formula("fraction", "", [number("1"), Formula("root", "", [part])])
        case "clamp_min", [part, low]:
            return Formula("call", "max", [part, low])
        case "clamp", [part, low, high]:
            return Formula("call", "min", [Formula("call", "max", [part, low]), high])
        case "xlogy", [left, right]:
            return operator("·", left, Formula("call", "ln", [right]))
        case "ger", [left, right]:
            return operator("@", left, Formula("transpose", "", [grouped(right, ATOM)]))
        case "div", [left, right]:
            return Formula("fraction", "", [left, right])
        case "pow", [left, right]:
            return Formula("power", "", [grouped(left, ATOM), right])
        case "exp", [part]:
            return Formula("power", "", [name("e"), part])
        case "sqrt", [part]:
            return Formula("root", "", [part])
        case "neg", [part]:
            return negative(part)
        case "reciprocal", [part]:
            return Formula("fraction", "", [number("1"), part])
    return Formula("call", _CALLED[function], parts) if function in _CALLED else None


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
            if formula.text in _CONSTANTS and formula.text not in values:
                return _CONSTANTS[formula.text]
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
_CONSTANTS = {"e": math.e, "π": math.pi}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "σ": lambda x: 1 / (1 + math.exp(-x)),
    "erf": math.erf,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "ln": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "tanh": math.tanh,
    "abs": abs,
    "sgn": lambda x: math.copysign(1.0, x) if x else 0.0,
}
