"""Gradients that are only put somewhere: what a selection, a join or a write in place sends back.

``placed(grad, where)`` is zero but for one place, ``part(grad, where)`` is what stands at a place, ``erased(grad,
where)`` is zero there, ``joined(…)`` lays parts together. They are rows of text, because mathematics has no shorter sign.
"""

from __future__ import annotations

from engine.trace.formula.tree import ATOM, SUM, call, grouped, transpose
from engine.trace.parts import Formula

AT, ERASED_AT = " at ", ", 0 at "
ELSEWHERE = Formula("text", ", 0 elsewhere")


def text(words: str) -> Formula:
    """Words inside a formula."""
    return Formula("text", words)


def placed(part: Formula, where: Formula) -> Formula:
    """``part at where, 0 elsewhere``."""
    return Formula("row", "", [grouped(part, SUM), text(AT), where, ELSEWHERE])


def erased(whole: Formula, where: Formula) -> Formula:
    """``whole, 0 at where``."""
    return Formula("row", "", [grouped(whole, SUM), text(ERASED_AT), where])


def part(whole: Formula, where: Formula) -> Formula:
    """``whole[1, :]``, or ``whole at where`` in words and for places that are numbers: ``whole at [0, 5]``."""
    if where.kind == "text" and where.text.startswith("["):
        return Formula("row", "", [grouped(whole, ATOM), where])
    return Formula("row", "", [grouped(whole, SUM), text(AT), where])


def through(whole: Formula, words: Formula) -> Formula:
    """``whole, through mul_ at the part written to``: what a write that changes numbers does with the gradient is its own affair."""
    return Formula("row", "", [grouped(whole, SUM), text(", "), words])


def slot(dim: Formula, index: Formula) -> Formula | None:
    """``[:, 2]``: one place along a dimension; None where the dimension is not known."""
    return _along(dim, index.text)


def reach(dim: Formula, start: Formula, end: Formula, step: Formula) -> Formula | None:
    """``[:, 1:3]``: a range along a dimension."""
    low = "" if start.text in ("0", "None") else start.text
    high = "" if end.text in ("the end", "None") else end.text
    return _along(dim, f"{low}:{high}" + ("" if step.text in ("1", "None") else f":{step.text}"))


def _along(dim: Formula, index: str) -> Formula | None:
    try:
        place = int(dim.text.replace("−", "-"))
    except ValueError:
        return None
    inner = ["…", index, *([":"] * (-place - 1))] if place < 0 else [*([":"] * place), index]
    return text("[" + ", ".join(inner) + "]")


def permuted(whole: Formula, dims: Formula) -> Formula:
    """The gradient in the old order of dimensions; for a matrix, transposed."""
    if dims.text in ("[1, 0]", "(1, 0)", "[-1, -2]"):
        return transpose(whole)
    return call("permuted back", whole)


def is_placed(formula: Formula) -> bool:
    """Whether it is `placed`."""
    return formula.kind == "row" and len(formula.parts) == 4 and formula.parts[1].text == AT


def is_part(formula: Formula) -> bool:
    """Whether it is `part`."""
    if formula.kind != "row" or formula.parts[0].text in ("[", "−"):
        return False
    return len(formula.parts) == 2 or (len(formula.parts) == 3 and formula.parts[1].text == AT)


def is_erased(formula: Formula) -> bool:
    """Whether it is `erased`."""
    return formula.kind == "row" and len(formula.parts) == 3 and formula.parts[1].text == ERASED_AT
