"""Puts names and numbers into a derivative's text."""

from __future__ import annotations

import math

from engine.trace import formula as formulas
from engine.trace.agreement import close, numbers_of
from engine.trace.document import Node
from engine.trace.narration.telling import Reader, is_spelled
from engine.trace.parts import Formula, Value
from engine.trace.values import text_of

ABSENT = frozenset({"weight", "pos_weight", "min", "max", "ord", "p"})
"""Optional arguments: what a node has neither saved nor an edge for was not given."""
SMALL = 4
"""Most elements of a value that is put into a formula."""


def tensor_behind(node: Node, argument: str) -> int | None:
    """The tensor that was passed as an argument, as far as the graph knows it."""
    for edge in node.edges:
        if edge.argument == argument:
            return edge.tensor
    return next((saved.tensor for saved in node.saved if saved.name == argument), None)


def with_names(reader: Reader, index: int, slot: int, grad: Formula) -> Formula | None:
    """The derivative for an edge with the snippet's names in: ∂d/∂c · b."""
    node = reader.trace.nodes[index]

    def leaf(parameter: str) -> Formula | None:
        if parameter == "grad":
            return grad
        if parameter == "result":
            return formulas.name(reader.symbol(node.outputs[0])) if node.outputs else None
        if parameter.startswith("grads["):
            output = int(parameter[len("grads[") : -1])
            known = output < len(node.outputs)
            return formulas.partial(reader.root(), reader.symbol(node.outputs[output])) if known else None
        tensor = tensor_behind(node, parameter)
        if tensor is not None:
            return formulas.name(reader.symbol(tensor))
        return plain_value(reader, index, parameter)

    return formulas.build(node.edges[slot].derivative, leaf)


def with_numbers(
    reader: Reader, index: int, slot: int, grad: Value | None, result: Value | None, summed: bool = False
) -> Formula | None:
    """The same with the values of this pass in: 1 · 4. It gives ``result``, or is not told.

    Four digits, as everywhere, unless differences of nearly equal numbers need more to give the result that is shown.
    ``summed``: the result is what is computed, added up. None where a value is too large to be read in a formula, where
    it is no arithmetic, and where no rounding gives the result.
    """
    expected = numbers_of(result)
    if expected is None:
        return None
    for digits in (4, 6, 9):
        built = _rounded(reader, index, slot, grad, digits)
        if built is None:
            return None
        if summed:
            built = formulas.total(built)
        try:
            found = formulas.evaluate(built, {})
        except (ValueError, OverflowError, ZeroDivisionError):
            return None
        if close(found, expected, 1e-3):
            return built
    return None


def _rounded(reader: Reader, index: int, slot: int, grad: Value | None, digits: int) -> Formula | None:
    node = reader.trace.nodes[index]

    def leaf(parameter: str) -> Formula | None:
        if parameter == "grad":
            return small(grad, digits)
        if parameter.startswith("grads["):
            return small(gradient_into(reader, index, parameter), digits)
        saved = reader.state.saved.get((index, parameter))
        if isinstance(saved, Value):
            return small(saved, digits)
        return plain_value(reader, index, parameter)

    return formulas.build(node.edges[slot].derivative, leaf)


def gradient_into(reader: Reader, index: int, parameter: str) -> Value | None:
    """The gradient that arrived for one of a node's outputs: ``grads[1]``."""
    ran, output = reader.state.ran.get(index), int(parameter[len("grads[") : -1])
    return ran.gradients[output] if ran is not None and output < len(ran.gradients) else None


def small(value: Value | None, digits: int) -> Formula | None:
    """A value of few elements as a number."""
    if value is None or value.data is None or not 0 < len(value.data) <= SMALL or not is_spelled(value):
        return None
    if value.dtype == "bool" and len(value.data) == 1:
        return formulas.number(str(int(value.data[0])))
    if digits == 4:
        return formulas.number(value.text)
    return formulas.number(text_of(value.shape, value.dtype, value.data, digits))


def plain_value(reader: Reader, index: int, parameter: str) -> Formula | None:
    """A saved plain value (an exponent, a dimension), or a shape read off the argument's tensor."""
    node = reader.trace.nodes[index]
    saved = next((entry for entry in node.saved if entry.name == parameter and entry.tensor is None), None)
    if saved is not None and saved.text:
        return formulas.number(saved.text)
    if parameter == "averaged_numel" and node.outputs:
        source = tensor_behind(node, "self")
        many, one = (math.prod(reader.trace.tensors[t].shape) for t in (source or 0, node.outputs[0]))
        return None if source is None or not one else formulas.number(str(many // one))
    for suffix in ("_sym_sizes", "_sizes", "_shape", "_numel"):
        tensor = tensor_behind(node, parameter.removesuffix(suffix)) if parameter.endswith(suffix) else None
        if tensor is not None:
            shape = reader.trace.tensors[tensor].shape
            return formulas.number(str(math.prod(shape)) if suffix == "_numel" else str(shape))
    if parameter in ABSENT:
        return formulas.number("None")
    return formulas.number("1") if parameter in ("alpha", "beta") else None
