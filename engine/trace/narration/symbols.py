"""Puts names and numbers into a derivative's text."""

from __future__ import annotations

import numpy as np

from engine.trace import formula as formulas
from engine.trace.agreement import numbers_of, tolerance_of
from engine.trace.derivatives.readings import STANDS_FOR
from engine.trace.formula.building import Leaf
from engine.trace.marks import code
from engine.trace.narration.amounts import is_spelled
from engine.trace.narration.parameters import MISSING, plain_value, tensor_behind
from engine.trace.narration.telling import Filled, Reader
from engine.trace.parts import Formula, Value
from engine.trace.values import spelled, text_of

SMALL = 6
"""Most elements of a value that is put into a formula."""
GRAD = formulas.name("grad")


CONJUGATE = ".conj()"


def with_names(reader: Reader, index: int, slot: int, grad: Formula, smooth: bool = True) -> Formula | None:
    """The derivative for an edge with the snippet's names in: ∂d/∂c · b. With `GRAD` in it is made once per edge.

    ``smooth``: whether the function has a slope where it was computed; at a kink the derivative says what is sent there.
    """
    if grad is not GRAD or not smooth:
        return _named(reader, index, slot, grad, smooth)
    known = reader.derivatives.get((index, slot))
    if known is None:  # or not to be told yet: it depends on which results get a gradient
        known = reader.derivatives[index, slot] = _named(reader, index, slot, grad, smooth)
    return known


def _named(reader: Reader, index: int, slot: int, grad: Formula, smooth: bool) -> Formula | None:
    node = reader.trace.nodes[index]

    def gradient(output: int) -> Formula:
        if grad is GRAD or output >= len(node.outputs):
            return GRAD if output == 0 else formulas.name(f"grad[{output}]")
        return formulas.partial(reader.root(), reader.symbol(node.outputs[output]))

    def leaf(parameter: str) -> Formula | None:
        if parameter == "grad":
            return grad
        if parameter.endswith(CONJUGATE):
            return conjugated(reader, index, parameter.removesuffix(CONJUGATE), leaf)
        if parameter.startswith("'"):
            return None
        if parameter == "result":
            return formulas.name(unlike_grad(reader.symbol(node.outputs[0]))) if node.outputs else None
        if parameter == "grads":
            several = [gradient(output) for output in range(len(node.outputs))]
            if grad is GRAD and len(several) > 1:
                several[0] = formulas.name("grad[0]")
            return formulas.call("cat", *several)
        if parameter.startswith("grads["):
            return gradient(int(parameter[len("grads[") : -1]))
        if (told := flag(reader, index, parameter, smooth)) is not None:
            return told
        tensor = tensor_behind(node, parameter)
        if tensor is None:
            return plain_value(reader, index, slot, parameter)
        return formulas.name(parameter if tensor in node.outputs else unlike_grad(reader.symbol(tensor)))

    return complete(real_part(reader, index, slot, formulas.build(node.edges[slot].derivative, leaf)))


def meanings(reader: Reader, index: int, slot: int) -> list[tuple[int, str]]:
    """(tensor, ``the h of line 4``) for each symbol of an edge's derivative that does not mean what its name means now.

    A result that took over its argument's name (``h = tanh(h)``) is told from it.
    """
    node = reader.trace.nodes[index]
    arguments = {reader.symbol(edge.tensor) for edge in node.edges if edge.tensor is not None}
    found: list[tuple[int, str]] = []
    for parameter in formulas.names_in(node.edges[slot].derivative):
        is_result = parameter == "result" and bool(node.outputs)
        tensor = node.outputs[0] if is_result else tensor_behind(node, parameter)
        if tensor is None or parameter == "grad" or tensor == node.edges[slot].tensor:
            continue
        symbol, label = code(reader.symbol(tensor)), reader.label(tensor)
        if is_result and reader.symbol(tensor) in arguments:
            found.append((tensor, f"{symbol} is what came out, not what went in"))
        elif label != symbol and tensor not in node.outputs:
            found.append((tensor, f"{symbol} is {label}"))
    return found


def unlike_grad(symbol: str) -> str:
    """A tensor's symbol beside what arrived, which is `GRAD`: the snippet's own ``grad`` is ``your grad``."""
    return f"your {symbol}" if symbol == GRAD.text else symbol


def flag(reader: Reader, index: int, parameter: str, smooth: bool) -> Formula | None:
    """``smooth``, and ``only_grads_1``: whether of several results the second alone got a gradient in this pass."""
    if parameter == "smooth":
        return formulas.number(str(smooth))
    if parameter.startswith("only_grads_"):
        ran = reader.state.ran.get(index)
        arrived = [] if ran is None else [place for place, value in enumerate(ran.gradients) if value is not None]
        return formulas.number(str(arrived == [int(parameter[-1])])) if arrived else None
    return None


def conjugated(reader: Reader, index: int, parameter: str, leaf: Leaf) -> Formula | None:
    """What stands for a parameter, conjugated unless it is real."""
    made = leaf(parameter)
    if made is None or not (made.kind == "number" or is_complex(reader, index, parameter)):
        return made
    return formulas.conjugate(made)


def is_complex(reader: Reader, index: int, parameter: str) -> bool:
    """Whether a parameter of a node's derivative is a complex tensor."""
    node = reader.trace.nodes[index]
    is_own = parameter in ("grad", "result")
    tensor = (node.outputs[0] if node.outputs else None) if is_own else tensor_behind(node, parameter)
    return tensor is not None and "complex" in reader.trace.tensors[tensor].dtype


def real_part(reader: Reader, index: int, slot: int, formula: Formula | None) -> Formula | None:
    """The formula, for a real argument of a complex result the real part of it."""
    target = reader.trace.nodes[index].edges[slot].tensor
    if formula is None or target is None or not is_complex(reader, index, "result"):
        return formula
    if "complex" in reader.trace.tensors[target].dtype or formula.text in ("Re", "Im", "view_as_real"):
        return formula
    return formulas.call("Re", formula)


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
    expected = numbers_of(result, or_complex=True)
    if expected is None or result is None:
        return Filled()
    text = reader.trace.nodes[index].edges[slot].derivative
    agrees: bool | None = None
    for smooth in (True, False) if " if smooth else " in text else (True,):
        for digits in (4, 6, 9):
            built = complete(_rounded(reader, index, slot, grad, digits, smooth))
            if built is None:
                return Filled()
            if summed:
                built = formulas.total(built)
            agrees = formulas.gives(built, expected, tolerance_of(result))
            if agrees:
                return Filled(built, smooth=smooth)
            if agrees is None and not formulas.is_along_dimensions(built):
                return Filled()
    return Filled(contradicts=agrees is False and "complex" not in result.dtype)


def _rounded(reader: Reader, index: int, slot: int, grad: Value | None, digits: int, smooth: bool) -> Formula | None:
    node = reader.trace.nodes[index]
    ran = reader.state.ran.get(index)
    arrived = ran.gradients if ran is not None else []

    def leaf(parameter: str) -> Formula | None:
        if parameter == "grad":
            return small(grad, digits)
        if parameter.endswith(CONJUGATE):
            return conjugated(reader, index, parameter.removesuffix(CONJUGATE), leaf)
        if parameter.startswith("'"):
            return meant(node.operator, parameter[1:-1], leaf, digits)
        if parameter == "grads":
            parts = [small(value, digits) for value in arrived]
            return formulas.call("cat", *(part for part in parts if part)) if all(parts) else None
        if parameter.startswith("grads["):
            output = int(parameter[len("grads[") : -1])
            return small(arrived[output], digits) if output < len(arrived) else None
        if (told := flag(reader, index, parameter, smooth)) is not None:
            return told
        saved = reader.state.saved.get((index, parameter)) or reader.state.saved.get((index, f"{parameter}[0]"))
        if isinstance(saved, Value):
            return small(saved, digits)
        if parameter == "result":
            return small(reader.state.value(node.outputs[0]), digits) if node.outputs else None
        if tensor_behind(node, parameter) is not None:
            return None
        return plain_value(reader, index, slot, parameter)

    return real_part(reader, index, slot, formulas.build(node.edges[slot].derivative, leaf))


def meant(operator: str, symbol: str, leaf: Leaf, digits: int) -> Formula | None:
    """The number of a symbol that an operator's reading introduces: x̂ of a normalisation."""
    definition = STANDS_FOR.get(operator, {}).get(symbol)
    built = complete(formulas.build(definition[0], leaf)) if definition is not None else None
    if built is None:
        return None
    try:
        made = np.asarray(formulas.evaluate(built, {}))
    except (ValueError, TypeError):
        return None
    if made.size > SMALL:
        return None
    return formulas.number(
        text_of(list(made.shape), "", made.ravel().tolist(), digits) if made.ndim else spelled(made.item(), digits)
    )


def small(value: Value | None, digits: int) -> Formula | None:
    """A value of few elements as a number."""
    if value is None or value.data is None or not 0 < len(value.data) <= SMALL or not is_spelled(value):
        return None
    if value.dtype == "bool" and len(value.data) == 1:
        return formulas.number(str(int(value.data[0])))
    if digits == 4:
        return formulas.number(value.text)
    return formulas.number(text_of(value.shape, value.dtype, value.data, digits))
