"""What a node is called and how it is drawn, from its operator's own declaration."""

from __future__ import annotations

import functools
from typing import Any

from engine.autograd.accumulate_grad import AccumulateGrad
from engine.trace import derivatives
from engine.trace.derivatives.readings import BY_OPERATOR

SYMBOLS = {
    "mul": "×", "add": "+", "sub": "−", "rsub": "−", "div": "÷", "neg": "−x", "pow": "xⁿ", "mm": "@", "matmul": "@",
    "bmm": "@", "addmm": "b + @", "mv": "@", "dot": "·", "sum": "Σ", "mean": "mean", "sqrt": "√", "abs": "|x|",
    "exp": "eˣ", "t": "ᵀ", "transpose": "ᵀ", "permute": "ᵀ", "sigmoid": "σ", "prod": "Π", "cumsum": "Σ…",
    "reciprocal": "1/x", "select": "x[i]", "slice": "x[a:b]", "index": "x[i]", "getitem": "x[i]", "rsqrt": "1/√",
    "square": "x²", "log_softmax": "log softmax", "nll_loss": "nll", "cross_entropy": "cross entropy",
}  # fmt: skip

OVERWRITING = frozenset({"copy", "fill", "zero"})
"""Writes that leave nothing of what was there: no gradient goes back to it, and all of it to what was written."""

ACCUMULATE = "The leaf's own door into the graph: whatever arrives here is added to its .grad."


@functools.lru_cache(maxsize=4096)
def name_of(operator: Any) -> str:
    """The name of a declared operator, of a function, or of a person's own function class (whose ``name`` is a method)."""
    own = None if isinstance(operator, type) else getattr(operator, "name", None)
    return str(own or getattr(operator, "__name__", type(operator).__name__))


def drawn(node: Any) -> tuple[str, str, str]:
    """The operator that made a node, a few characters to draw in it, and a sentence on how gradients pass it.

    The operator of a custom function is its class, that of AccumulateGrad is empty.
    """
    if node.operator is not None:
        return described(node.operator)
    if isinstance(node, AccumulateGrad):
        return "", ".grad", ACCUMULATE
    kind = type(node)
    name = kind.__name__.removesuffix("Backward").removesuffix("Backward0")
    told = kind.__doc__ if kind.__module__ != "builtins" else None
    return name, name, first_sentences(told or "")


def first_sentences(documentation: str) -> str:
    """The first paragraph, on one line, code in single backticks as in all sentences."""
    return " ".join(documentation.split("\n\n", maxsplit=1)[0].split()).replace("``", "`")


@functools.lru_cache(maxsize=4096)
def described(operator: Any) -> tuple[str, str, str]:
    """Name, symbol and explanation of a declared operator."""
    name = str(operator.name)
    return name, SYMBOLS.get(name, name.strip("_").replace("_", " ")), first_sentences(operator.explanation)


def arguments_of(node: Any) -> list[tuple[str, str]]:
    """(argument name, derivative text) behind each of a node's edges; elements of a list argument are numbered.

    The text is empty where one function yields several derivatives that no reading tells, and for a person's own function.
    """
    count = len(node.edges)
    if node.operator is not None:
        return arguments_of_operator(node.operator, count, getattr(node.dtypes[0], "kind", "") == "c")
    read = {} if hasattr(node, "_forward_cls") else BY_OPERATOR.get(drawn(node)[0], {})
    if (write := changing(node)) is not None:
        read = {
            "input 0": f"through(grad, 'through {write}_ at the part written to')",
            "input 1": f"part(grad, 'the part written to, through {write}_')",
        }
    return [(f"input {slot}", read.get(f"input {slot}", "")) for slot in range(count)]


def changing(node: Any) -> str | None:
    """The operator of a write into a view that goes on with the numbers it finds there: ``mul`` of ``y[0].mul_(2)``."""
    operator = getattr(getattr(node, "written", None), "operator", None)
    return None if operator is None or operator.name in OVERWRITING else str(operator.name)


@functools.lru_cache(maxsize=4096)
def arguments_of_operator(operator: Any, count: int, is_complex: bool) -> list[tuple[str, str]]:
    """`arguments_of` a declared operator's node with ``count`` edges.

    ``is_complex``: whether the result is complex, which conjugates a derivative that is written as in complex analysis.
    """
    names = [operator.signature.names[position] for position in operator.differentiable]
    extra = count - len(names)
    if extra > 0 or (len(names) == 1 and names[0] in ("tensors", "operands")):
        # Only one argument of an operator is a list, and it comes first.
        names = [f"{names[0]}[{position}]" for position in range(extra + 1)] + names[1:]
    texts = derivatives.texts(operator)
    found = [(name, texts.get(name.partition("[")[0], "")) for name in names[:count]]
    if is_complex and operator.holomorphic:
        return [(name, derivatives.conjugated(text)) for name, text in found]
    return found
