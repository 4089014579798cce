"""A formula on one line of text, as sentences quote it."""

from __future__ import annotations

from engine.trace.formula.tree import ATOM, POWER, PRODUCT, grouped, strength
from engine.trace.parts import Formula


def plain(formula: Formula) -> str:
    """``∂d/∂c · b``, ``grad / (x + 1)``, ``x^2``."""
    if not formula.parts:
        return formula.text
    parts = [plain(part) for part in formula.parts]
    match formula.kind:
        case "operator":
            return f" {formula.text} ".join(parts)
        case "equals":
            return " = ".join(parts)
        case "partial":
            return f"∂{parts[0]}/∂{parts[1]}"
        case "group":
            return f"({parts[0]})"
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
        case "call":
            return f"{formula.text}({', '.join(parts)})"
        case "transpose":
            return f"{parts[0]}ᵀ"
        case "subscript":
            return f"{parts[0]}_{parts[1]}"
        case "norm":
            return f"‖{parts[0]}‖"
        case "sum":
            return f"Σ {parts[0]}"
        case _:
            return formula.text


def _row(formula: Formula, parts: list[str]) -> str:
    if formula.parts[0].text == "[":
        inner = parts[1:-1]
        return f"[{inner[0]}{inner[1]}]" if inner[0] == "¬" else f"[{' '.join(inner)}]"
    return "".join(parts)
