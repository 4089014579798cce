"""What stands for a derivative's parameters that are no tensors: saved plain values, shapes, places among parts."""

from __future__ import annotations

import math

from engine.trace import formula as formulas
from engine.trace.document import Node, Trace
from engine.trace.narration.telling import Reader
from engine.trace.parts import Formula

MISSING = formulas.number("None")
"""An optional argument that was not given: a node saves all that its derivative asks for, unless it is None."""


def tensor_behind(node: Node, argument: str) -> int | None:
    """The tensor that was passed as an argument, as far as the graph knows it."""
    for edge in node.edges:
        if edge.argument == argument:
            return edge.tensor
    for saved in node.saved:
        if saved.tensor is not None and saved.name.partition("[")[0] == argument:
            return saved.tensor
    return None


def plain_value(reader: Reader, index: int, slot: int, parameter: str) -> Formula | None:
    """A saved plain value (an exponent, a dimension), or what a shape tells."""
    trace, node = reader.trace, reader.trace.nodes[index]
    for entry in node.saved:
        if entry.name == parameter and entry.tensor is None and entry.text:
            return formulas.number(
                tidy(entry.text) if parameter != "dim" else _counted_from_the_first(node, entry.text)
            )
    if parameter in _READ_OFF:
        return _READ_OFF[parameter](trace, node, slot)
    for suffix in ("_sym_sizes", "_sizes", "_shape", "_numel", "_is_complex"):
        tensor = tensor_behind(node, parameter.removesuffix(suffix)) if parameter.endswith(suffix) else None
        if tensor is not None:
            row = trace.tensors[tensor]
            known = {"_numel": math.prod(row.shape), "_is_complex": "complex" in row.dtype}
            return formulas.number(str(known.get(suffix, row.shape)))
    return formulas.number("1") if parameter in ("alpha", "beta") else MISSING


def _counted_from_the_first(node: Node, dim: str) -> str:
    """A dimension's number, where the sizes of what was worked on are known without a minus: ``[:, 2]``, not ``[…, 2]``."""
    sizes = next((entry.text for entry in node.saved if entry.name == "self_sym_sizes"), "")
    count = sizes.count(",") + 1
    return str(count + int(dim)) if sizes and dim.startswith("-") and dim[1:].isdigit() else dim


def tidy(text: str) -> str:
    """A number without what only says of which kind it is: ``5.0`` is 5, ``(2+1j)`` is 2+1j."""
    if text.startswith("(") and is_number(text):
        return text[1:-1]
    return text[:-2] if text.endswith(".0") and text[:-2].lstrip("-").isdigit() else text


def is_number(text: str) -> bool:
    """Whether a saved plain value is a number, real or complex."""
    try:
        complex(text)
    except ValueError:
        return False
    return True


def _averaged(trace: Trace, node: Node, slot: int) -> Formula | None:
    """How many elements of ``self`` one element of the result stands for."""
    source = tensor_behind(node, "self")
    if source is None or not node.outputs:
        return None
    many, one = (math.prod(trace.tensors[tensor].shape) for tensor in (source, node.outputs[0]))
    return formulas.number(str(many // one)) if one else None


def _degrees_of_freedom(trace: Trace, node: Node, slot: int) -> Formula | None:
    """The same, less the correction of a variance."""
    many = _averaged(trace, node, slot)
    given = next((entry.text for entry in node.saved if entry.name == "correction"), "1")
    if many is None or not given.replace(".", "").isdigit():
        return None
    left = float(many.text) - float(given)
    return formulas.number(f"{left:g}") if left > 0 else None


def _position(trace: Trace, node: Node, slot: int) -> Formula:
    """Which of the tensors of a list."""
    return formulas.number(str(slot))


def _extent(trace: Trace, node: Node, slot: int) -> Formula | None:
    """Which part of a joined tensor came from this one: ``[:, 2:4]``."""
    dim = next((entry.text for entry in node.saved if entry.name == "dim"), "0")
    shapes = [None if edge.tensor is None else trace.tensors[edge.tensor].shape for edge in node.edges[: slot + 1]]
    if not dim.lstrip("-").isdigit() or any(shape is None or not shape for shape in shapes):
        return formulas.words("its part")
    lengths = [shape[int(dim)] for shape in shapes if shape]
    start = sum(lengths[:-1])
    along = int(dim) % len(shapes[-1] or [0])
    return formulas.words("[" + ":, " * along + f"{start}:{start + lengths[-1]}]")


def _is_square(trace: Trace, node: Node, slot: int) -> Formula | None:
    """Whether the matrix has as many rows as columns."""
    source = tensor_behind(node, "self")
    return None if source is None else formulas.number(str(len(set(trace.tensors[source].shape[-2:])) == 1))


def _is_vector(trace: Trace, node: Node, slot: int) -> Formula | None:
    """Whether a linear system's right side was one vector."""
    matrix = tensor_behind(node, "A")
    if matrix is None or not node.outputs:
        return None
    dimensions = (len(trace.tensors[tensor].shape) for tensor in (matrix, node.outputs[0]))
    return formulas.number(str(next(dimensions) > next(dimensions)))


def _crops(trace: Trace, node: Node, slot: int) -> Formula:
    """Whether a padding is negative, which cuts off."""
    return formulas.number(str(any("-" in entry.text for entry in node.saved if entry.name == "pad")))


_READ_OFF = {
    "is_square": _is_square,
    "is_vector": _is_vector,
    "crops": _crops,
    "averaged_numel": _averaged,
    "degrees_of_freedom": _degrees_of_freedom,
    "position": _position,
    "extent": _extent,
}
"""Words of `engine.trace.derivatives.readings` that ask for a number."""
