"""Which case of a derivative holds: conditions on plain values (``reduction == 1``, ``weight is None``)."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.trace.parts import Formula

if TYPE_CHECKING:
    from engine.trace.formula.building import Leaf, Maker

Decider = Callable[["Leaf"], "bool | None"]
"""Whether a condition holds; None where it depends on what is not known."""


def decider(test: ast.expr, compile_: Callable[[ast.expr], Maker]) -> Decider:
    """What decides a condition. ``compile_`` makes the formulas of its sides."""
    match test:
        case ast.BoolOp(op=op, values=values):
            return _joined([decider(value, compile_) for value in values], isinstance(op, ast.Or))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _denied(decider(operand, compile_))
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            return _absent(compile_(left), isinstance(op, ast.Is))
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]):
            return _equal(_plain(left, compile_), _plain(right, compile_), isinstance(op, ast.Eq))
        case ast.Compare(left=left, ops=[ast.Gt() | ast.LtE() as op], comparators=[right]):
            return _greater(_plain(left, compile_), _plain(right, compile_), isinstance(op, ast.Gt))
        case ast.Name(id=identifier):
            return _flag(identifier)
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id=identifier), attr="dtype"), attr="is_complex"):
            return _flag(f"{identifier}_is_complex")
        case _:
            return lambda leaf: None


def _joined(deciders: list[Decider], decisive: bool) -> Decider:
    def decide(leaf: Leaf) -> bool | None:
        known = [each(leaf) for each in deciders]
        return decisive if decisive in known else None if None in known else not decisive

    return decide


def _denied(inner: Decider) -> Decider:
    def decide(leaf: Leaf) -> bool | None:
        held = inner(leaf)
        return None if held is None else not held

    return decide


def _absent(side: Maker, expected: bool) -> Decider:
    def decide(leaf: Leaf) -> bool | None:
        made = side(leaf)
        return None if made is None else (made.text == "None") == expected

    return decide


def _equal(left: _Plain, right: _Plain, expected: bool) -> Decider:
    def decide(leaf: Leaf) -> bool | None:
        sides = left(leaf), right(leaf)
        return None if None in sides else (sides[0] == sides[1]) == expected

    return decide


def _greater(left: _Plain, right: _Plain, expected: bool) -> Decider:
    def decide(leaf: Leaf) -> bool | None:
        first, second = left(leaf), right(leaf)
        return (first > second) == expected if isinstance(first, float) and isinstance(second, float) else None

    return decide


def _flag(identifier: str) -> Decider:
    def decide(leaf: Leaf) -> bool | None:
        made = leaf(identifier)
        return made.text == "True" if made is not None and made.text in ("True", "False") else None

    return decide


_Plain = Callable[["Leaf"], "str | float | None"]
"""A plain value as something to compare; None for tensors and what is not known."""


def _plain(node: ast.expr, compile_: Callable[[ast.expr], Maker]) -> _Plain:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = repr(node.value)
        return lambda leaf: text
    side = compile_(node)

    def plain(leaf: Leaf) -> str | float | None:
        made = side(leaf)
        if made is not None and made.text == "∞":
            return math.inf
        return None if made is None or made.kind != "number" else _as_number(made)

    return plain


def _as_number(made: Formula) -> str | float:
    try:
        return float(made.text.replace("−", "-"))
    except ValueError:
        return made.text
