"""What the snippet itself calls a write in place: an assignment, an operator such as ``-=``, or a function."""

from __future__ import annotations

import ast
import re

from engine.trace.events import ValueWritten
from engine.trace.marks import code
from engine.trace.spans import Source

ASSIGNMENT = "the assignment"
ASSIGNING = frozenset({"copy_", "fill_", "index_put_"})
"""What PyTorch does for ``x[…] = …``: no method that anybody called."""
RESHAPING = frozenset({
    "t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_", "as_strided_", "resize_", "resize_as_",
})  # fmt: skip
"""Functions that change a tensor in place, and none of its numbers."""
SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/=", ast.FloorDiv: "//=", ast.Mod: "%=", ast.Pow: "**=",
    ast.BitAnd: "&=", ast.BitOr: "|=", ast.BitXor: "^=", ast.LShift: "<<=", ast.RShift: ">>=",
}  # fmt: skip
"""How Python writes what is done in place by an operator."""


def writer(source: Source, step: ValueWritten) -> str:
    """``the assignment``, `` `-=` `` or `` `mul_` ``: who writes, in the snippet's own words."""
    if step.span is None:
        return code(step.operator)
    text, behind = source.text(step.span), source.lines[step.span.end_line - 1][step.span.end_column :]
    if step.operator in ASSIGNING and text.endswith("]") and re.match(r"\s*[-+*/%&|^<>]{0,2}=(?!=)", behind):
        return ASSIGNMENT
    symbol = in_place(text)
    return code(symbol or step.operator)


def in_place(text: str) -> str:
    """``-=`` of ``w -= lr * w.grad``; empty for what is no such statement."""
    if "=" not in text:
        return ""
    try:
        statements = ast.parse(text).body
    except SyntaxError:
        return ""
    match statements:
        case [ast.AugAssign(op=op)]:
            return SYMBOLS.get(type(op), "")
    return ""
