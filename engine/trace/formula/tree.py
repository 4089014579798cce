"""Formulas as trees: how their parts are made, and how strongly each holds together.

A part that holds less than its place needs is put in parentheses where the tree is built (`grouped`), so that whoever
draws a tree or writes it on a line (`engine.trace.formula.line`) has no precedence to know.
"""

from __future__ import annotations

import ast
import functools

from engine.trace.parts import Formula

ATOM, POWER, PRODUCT, SUM, LOOSE = range(5)
"""How strongly a formula holds together."""

OPPOSITE = {">": "≤", "<": "≥", "≥": "<", "≤": ">", "=": "≠", "≠": "="}
"""The comparison that holds exactly where the other does not (nan aside)."""

LOOSELY_JOINED = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda)
"""Expressions that parentheses keep together: ``x+1`` as well as ``x + 1``."""


def number(text: str) -> Formula:
    """A number as it is to be read, with a minus for a hyphen."""
    return Formula("number", text.replace("-", "−"))


@functools.lru_cache(maxsize=4096)
def name(text: str) -> Formula:
    """A symbol. A label that is an expression is put in parentheses, so that it stays one thing."""
    return Formula("name", text if _is_one_thing(text) else f"({text})")


def _is_one_thing(label: str) -> bool:
    """Whether it stays whole beside any symbol: source text that is no arithmetic, and words without spaces around."""
    try:
        return not isinstance(ast.parse(label.replace("…", "_"), mode="eval").body, LOOSELY_JOINED)
    except SyntaxError:
        return not _has_space(label)


def _has_space(label: str) -> bool:
    """Whether there is a space outside of brackets, as in ``result 2 of xs.sort()``."""
    depth = 0
    for character in label:
        depth += (character in "([{") - (character in ")]}")
        if character == " " and depth == 0:
            return True
    return False


MATRIX = "matrix"
"""What a power's text says where it is a matrix's inverse, and not that of each element."""
ZERO, ONE, ABSENT = number("0"), number("1"), number("None")


@functools.lru_cache(maxsize=1024)
def partial(of: str, by: str) -> Formula:
    """∂ of / ∂ by; what is a derivative itself stands in parentheses."""
    return Formula("partial", "", [name(f"({text})" if text.startswith("∂") else text) for text in (of, by)])


def equals(*parts: Formula) -> Formula:
    """A chain of equal things."""
    return Formula("equals", "", list(parts))


def operator(symbol: str, *parts: Formula) -> Formula:
    """Parts joined by a symbol, grouped where the symbol binds more strongly than they do."""
    need = SUM if symbol in "+−" else LOOSE if symbol in "∨∧" else PRODUCT
    return Formula("operator", symbol, [grouped(part, need, index > 0) for index, part in enumerate(parts)])


def fraction(top: Formula, bottom: Formula) -> Formula:
    """top over bottom."""
    return Formula("fraction", "", [top, bottom])


def power(base: Formula, exponent: Formula) -> Formula:
    """base to the exponent."""
    return Formula("power", "", [grouped(base, ATOM), exponent])


def transpose(part: Formula) -> Formula:
    """partᵀ; transposing twice gives the part back."""
    if part.kind == "transpose":
        return part.parts[0]
    is_turned = part.kind == "name" and part.text.endswith(".T")
    return Formula("transpose", "", [Formula("name", f"({part.text})") if is_turned else grouped(part, ATOM)])  # (k.T)ᵀ


def inverse(part: Formula) -> Formula:
    """part⁻¹, of a matrix."""
    return Formula("power", MATRIX, [grouped(part, ATOM), number("-1")])


def conjugate(part: Formula) -> Formula:
    """conj(part); a number without an imaginary part is its own conjugate."""
    return part if part.kind == "number" and "j" not in part.text else call("conj", part)


def call(function: str, *parts: Formula) -> Formula:
    """function(parts). What is alone between a function's parentheses needs none of its own."""
    return Formula("call", function, [_bare(part) for part in parts])


def _bare(part: Formula) -> Formula:
    inner = part.text[1:-1]
    return Formula("name", inner) if part.kind == "name" and part.text == f"({inner})" == name(inner).text else part


def total(part: Formula) -> Formula:
    """Σ part: its elements added up."""
    return Formula("sum", "", [grouped(part, ATOM)])


def negative(part: Formula) -> Formula:
    """−part."""
    if part.kind == "number" and part.text[:1] not in ("−", "["):
        return ZERO if part == ZERO else number(f"-{part.text}")
    inner = Formula("group", "", [part]) if is_negative(part) else grouped(part, PRODUCT)  # −(−6), not −−6
    return Formula("row", "", [Formula("text", "−"), inner])


def holds(left: Formula, symbol: str, right: Formula) -> Formula:
    """[left > right]: 1 where it holds, 0 elsewhere (Iverson's bracket)."""
    return Formula("row", "", [Formula("text", "["), left, Formula("text", symbol), right, Formula("text", "]")])


def fails(condition: Formula) -> Formula:
    """1 where the condition is 0: the opposite comparison, else [¬ condition]."""
    parts = condition.parts
    if condition.kind == "row" and len(parts) == 5 and parts[2].text in OPPOSITE:
        return holds(parts[1], OPPOSITE[parts[2].text], parts[3])
    return Formula(
        "row", "", [Formula("text", "["), Formula("text", "¬"), grouped(condition, POWER), Formula("text", "]")]
    )


def chosen(condition: Formula, yes: Formula, no: Formula) -> Formula:
    """yes · [condition] + no · [otherwise]."""
    if no == ZERO:
        return ZERO if yes == ZERO else operator("·", yes, condition)
    other = operator("·", no, fails(condition))
    return other if yes == ZERO else operator("+", operator("·", yes, condition), other)


def strength(formula: Formula) -> int:
    """How strongly a formula holds together."""
    match formula.kind:
        case "operator":
            return SUM if formula.text in "+−" else PRODUCT if formula.text in "·@⋆∗⊗" else LOOSE
        case "row":
            opening = formula.parts[0].text
            return ATOM if opening == "[" else SUM if opening == "−" else LOOSE
        case "sum":
            return SUM
        case "number" if formula.text.startswith("−") or (formula.text.endswith("j") and len(formula.text) > 2):
            return SUM
        case "power":
            return POWER
        case "fraction":
            return PRODUCT
        case _:
            return ATOM


def grouped(formula: Formula, need: int, later: bool = False) -> Formula:
    """The formula, in parentheses where it holds less than ``need`` (or equally, when it is not the first part)."""
    binding = strength(formula)
    if later and need == SUM and leads_with_minus(formula):
        return Formula("group", "", [formula])  # x − (−y · z), not x − −y · z
    if not later and need == PRODUCT and is_negative(formula):
        return formula  # −x · y reads like −(x · y), and is the same
    if binding > need or (later and binding == need and need == SUM):
        return Formula("group", "", [formula])
    return formula


def leads_with_minus(formula: Formula) -> bool:
    """Whether it is written with a minus sign at its very left."""
    if formula.kind == "operator" and formula.parts:
        return leads_with_minus(formula.parts[0])
    return is_negative(formula)


def is_negative(formula: Formula) -> bool:
    """Whether it begins with a minus sign of its own."""
    negative = formula.kind == "number" and formula.text.startswith("−")
    return negative or (formula.kind == "row" and formula.parts[0].text == "−")


def leaves(formula: Formula) -> int:
    """How many symbols it has: a measure of what can be taken in at a glance."""
    return 1 if not formula.parts else sum(map(leaves, formula.parts))


def distinct(parts: list[Formula]) -> list[Formula]:
    """Without a part that repeats the one before it."""
    return [part for index, part in enumerate(parts) if index == 0 or part != parts[index - 1]]


def replaced(formula: Formula, old: Formula, new: Formula) -> Formula:
    """The formula with one symbol in the place of another that holds together as strongly."""
    if not formula.parts:
        return new if formula == old else formula
    return Formula(formula.kind, formula.text, [replaced(part, old, new) for part in formula.parts])
