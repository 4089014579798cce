"""What a node is called and how it is drawn, from its operator's own declaration."""

from __future__ import annotations

from typing import Any

from engine.autograd.node import AccumulateGrad
from engine.trace import derivatives

SYMBOLS = {
    "mul": "×", "add": "+", "sub": "−", "rsub": "−", "div": "÷", "neg": "−x", "pow": "xⁿ", "mm": "@", "matmul": "@",
    "bmm": "@", "addmm": "b + @", "mv": "@", "dot": "·", "sum": "Σ", "mean": "mean", "sqrt": "√", "abs": "|x|",
    "exp": "eˣ", "t": "ᵀ", "transpose": "ᵀ", "permute": "ᵀ", "sigmoid": "σ", "prod": "Π", "cumsum": "Σ…",
    "reciprocal": "1/x", "select": "x[i]", "slice": "x[a:b]", "index": "x[i]", "getitem": "x[i]", "rsqrt": "1/√",
    "square": "x²", "log_softmax": "log softmax", "nll_loss": "nll", "cross_entropy": "cross entropy",
}  # fmt: skip

ACCUMULATE = "The leaf's own door into the graph: whatever arrives here is added to its .grad."


def operator_name(node: Any) -> str:
    """The operator that made the node; for a custom function its class name; empty for AccumulateGrad."""
    if isinstance(node, AccumulateGrad):
        return ""
    if node.operator is not None:
        return str(node.operator.name)
    return type(node).__name__.removesuffix("Backward").removesuffix("Backward0")


def symbol(node: Any) -> str:
    """A few characters to draw in the node."""
    if isinstance(node, AccumulateGrad):
        return ".grad"
    name = operator_name(node)
    return SYMBOLS.get(name, name.strip("_").replace("_", " "))


def explains(node: Any) -> str:
    """One sentence on what the operator does and how gradients pass it."""
    if isinstance(node, AccumulateGrad):
        return ACCUMULATE
    if node.operator is not None:
        return first_sentences(node.operator.explanation)
    documented = type(node).__doc__
    return first_sentences(documented or "") if documented and type(node).__module__ != "engine.autograd.node" else ""


def first_sentences(documentation: str) -> str:
    """The first paragraph, on one line."""
    return " ".join(documentation.split("\n\n", maxsplit=1)[0].split())


def edge_derivatives(node: Any, arguments: list[str]) -> list[str]:
    """The derivative's text behind each edge; empty where one function yields several or it is the person's own."""
    texts = derivatives.texts(node.operator) if node.operator is not None else {}
    return [texts.get(argument.partition("[")[0], "") for argument in arguments]


def edge_arguments(node: Any) -> list[str]:
    """The operator's name for the argument behind each edge; elements of a list argument are numbered."""
    operator = node.operator
    if operator is None:
        return [f"input {slot}" for slot in range(len(node.edges))]
    names = [operator.signature.names[position] for position in operator.differentiable]
    extra = len(node.edges) - len(names)
    if extra <= 0 and not (len(names) == 1 and names[0] in ("tensors", "operands")):
        return names[: len(node.edges)]
    # Only one argument of an operator is a list, and it comes first.
    listed = [f"{names[0]}[{i}]" for i in range(extra + 1)]
    return listed + names[1:]
