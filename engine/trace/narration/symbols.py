"""Puts names and numbers into a derivative's text."""

from __future__ import annotations

from engine.trace import formula as formulas
from engine.trace.agreement import numbers_of
from engine.trace.narration.amounts import is_spelled
from engine.trace.narration.parameters import MISSING, plain_value, tensor_behind
from engine.trace.narration.telling import Filled, Reader
from engine.trace.parts import Formula, Value
from engine.trace.values import text_of

SMALL = 6
"""Most elements of a value that is put into a formula."""
GRAD = formulas.name("grad")


def with_names(reader: Reader, index: int, slot: int, grad: Formula) -> Formula | None:
    """The derivative for an edge with the snippet's names in: ∂d/∂c · b. With `GRAD` in it is made once per edge."""
    if grad is not GRAD:
        return _named(reader, index, slot, grad)
    if (index, slot) not in reader.derivatives:
        reader.derivatives[index, slot] = _named(reader, index, slot, grad)
    return reader.derivatives[index, slot]


def _named(reader: Reader, index: int, slot: int, grad: Formula) -> Formula | None:
    node = reader.trace.nodes[index]

    def gradient(output: int) -> Formula:
        if grad is GRAD or output >= len(node.outputs):
            return GRAD if output == 0 else formulas.name(f"grad[{output}]")
        return formulas.partial(reader.root(), reader.symbol(node.outputs[output]))

    def leaf(parameter: str) -> Formula | None:
        if parameter == "grad":
            return grad
        if parameter == "result":
            return formulas.name(reader.symbol(node.outputs[0])) if node.outputs else None
        if parameter == "grads":
            return formulas.call("cat", *(gradient(output) for output in range(len(node.outputs))))
        if parameter.startswith("grads["):
            return gradient(int(parameter[len("grads[") : -1]))
        tensor = tensor_behind(node, parameter)
        if tensor is None:
            return plain_value(reader, index, slot, parameter)
        return formulas.name(parameter if tensor in node.outputs else reader.symbol(tensor))

    return complete(formulas.build(node.edges[slot].derivative, leaf))


def complete(formula: Formula | None) -> Formula | None:
    """The formula, unless it needs what was never given."""
    return None if formula is None or lacks(formula) else formula


def lacks(formula: Formula) -> bool:
    """Whether an argument that was not given stands in it."""
    return formula == MISSING or any(map(lacks, formula.parts))


def with_numbers(
    reader: Reader, index: int, slot: int, grad: Value | None, result: Value | None, summed: bool = False
) -> Filled:
    """The same with the values of this pass in: 1 · 4. It gives ``result``, or is not told.

    Four digits, as everywhere, unless differences of nearly equal numbers need more to give the result that is shown.
    ``summed``: the result is what is computed, added up. Asked twice at one step, it answers from memory.
    """
    asked = (reader.state.step, summed)
    if reader.filled is None or reader.filled[0] != asked:
        reader.filled = asked, _filled(reader, index, slot, grad, result, summed)
    return reader.filled[1]


def _filled(reader: Reader, index: int, slot: int, grad: Value | None, result: Value | None, summed: bool) -> Filled:
    expected = numbers_of(result)
    if expected is None:
        return Filled()
    for digits in (4, 6, 9):
        built = complete(_rounded(reader, index, slot, grad, digits))
        if built is None:
            return Filled()
        if summed:
            built = formulas.total(built)
        agrees = formulas.gives(built, expected)
        if agrees is None:
            return Filled()
        if agrees:
            return Filled(built)
    return Filled(contradicts=True)


def _rounded(reader: Reader, index: int, slot: int, grad: Value | None, digits: int) -> Formula | None:
    node = reader.trace.nodes[index]
    ran = reader.state.ran.get(index)
    arrived = ran.gradients if ran is not None else []

    def leaf(parameter: str) -> Formula | None:
        if parameter == "grad":
            return small(grad, digits)
        if parameter == "grads":
            parts = [small(value, digits) for value in arrived]
            return formulas.call("cat", *(part for part in parts if part)) if all(parts) else None
        if parameter.startswith("grads["):
            output = int(parameter[len("grads[") : -1])
            return small(arrived[output], digits) if output < len(arrived) else None
        saved = reader.state.saved.get((index, parameter)) or reader.state.saved.get((index, f"{parameter}[0]"))
        if isinstance(saved, Value):
            return small(saved, digits)
        if parameter == "result":
            return small(reader.state.value(node.outputs[0]), digits) if node.outputs else None
        if tensor_behind(node, parameter) is not None:
            return None
        return plain_value(reader, index, slot, parameter)

    return formulas.build(node.edges[slot].derivative, leaf)


def small(value: Value | None, digits: int) -> Formula | None:
    """A value of few elements as a number."""
    if value is None or value.data is None or not 0 < len(value.data) <= SMALL or not is_spelled(value):
        return None
    if value.dtype == "bool" and len(value.data) == 1:
        return formulas.number(str(int(value.data[0])))
    if digits == 4:
        return formulas.number(value.text)
    return formulas.number(text_of(value.shape, value.dtype, value.data, digits))
