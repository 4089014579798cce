"""Views, dimensions and indices that a tensor does not have, and the one number that it does not hold."""

from __future__ import annotations

import ast
import math
import re

from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls.broadcasting import squeezed
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.diagnosis.errors.refused_calls.joining import along_dimension
from engine.trace.diagnosis.errors.refused_calls.layers import numbers
from engine.trace.marks import code

SIZE = "shape_mismatch"


def viewed(call: Call) -> Found:
    """view() of another number of elements."""
    given = call.tensor("0", "self")
    found = re.search(r"shape '\[([-\d, ]*)\]' is invalid for input of size (\d+)", call.message)
    if given is None or found is None:
        return None
    asked, total = [int(n) for n in found[1].split(",") if n.strip()], int(found[2])
    wanted = math.prod(n for n in asked if n >= 0)
    has = f"{call.told(given)}, so it holds {numbers(call.shape(given))} = {total} numbers"
    exact = f"and {call.history.quoted(call.span)} asks for " + (
        f"{wanted}." if -1 not in asked else f"a multiple of {wanted}."
    )
    front = math.prod(asked[:-1])
    last = call.arguments[-1] if call.arguments else None
    fits = -1 not in asked and front > 0 and total % front == 0 and len(asked) > 1 and last is not None
    fix = call.replaced(last, "-1") if fits and last is not None else None
    return given, call.answer(
        SIZE, f"{has}, {exact}", fix, "Ask for as many numbers as there are; one length may be `-1`, to be worked out."
    )


def apart(call: Call) -> Found:
    """view() of numbers that do not lie in that order."""
    given = call.tensor("0", "self")
    if given is None or call.span is None:
        return None
    turn = next(
        (
            t
            for t in call.history.ancestors(given)
            if (e := call.history.event.get(t)) is not None and e.how == "view" and e.operator in TURNING
        ),
        None,
    )
    why = ""
    if turn is not None and (span := call.row(turn).span) is not None:
        why = f": {code(call.history.text(span))} on line {span.line} only changed the order in which they are read"
    text = (
        f"{call.told(given)}, and its numbers do not lie in that order in memory{why}. `view()` never moves a number."
    )
    source = call.history.text(call.span)
    return given, call.answer(
        SIZE, text, call.instead(call.span, source.replace(".view(", ".reshape(")) if ".view(" in source else None
    )


TURNING = frozenset({"t", "transpose", "permute", "numpy_T", "mT", "expand", "movedim", "swapaxes", "unfold", "flip"})


def dimension(call: Call) -> Found:
    """A dimension that the tensor does not have."""
    given = call.tensors[0] if call.tensors else None
    found = re.search(r"range of \[(-?\d+), (-?\d+)\], but got (-?\d+)", call.message)
    if found is None:
        return None
    tensor = next((t for t in call.tensors if max(len(call.shape(t)), 1) == int(found[2]) + 1), given)
    if tensor is None:
        return None
    count, lost = len(call.shape(tensor)), squeezed(call, tensor)
    text = f"{call.told(tensor)}: {counted(count)}, and dimension {found[3]} is asked for."
    if lost is not None:
        return tensor, call.answer(SIZE, f"{text} {lost[0]}", lost[1])
    fix = along_dimension(call, -1) if count == 1 and len(call.tensors) == 1 else None
    return tensor, call.answer(
        SIZE, text, fix, f"Dimensions are counted from 0 to {max(count - 1, 0)}, or from `-1` at the end."
    )


def counted(count: int) -> str:
    """How many dimensions there are."""
    return "it has no dimensions" if count == 0 else f"it has {count} {'dimension' if count == 1 else 'dimensions'}"


def permuted(call: Call) -> Found:
    """permute() with another number of dimensions."""
    given = call.tensors[0] if call.tensors else None
    if given is None:
        return None
    asked = sum(given.type == "int" for given in call.refused.given) or len(call.refused.given) - 1
    text = f"{call.told(given)}: {counted(len(call.shape(given)))}, and an order of {asked} is asked for. Every dimension is named once."
    return given, call.answer(
        SIZE, text, "Name as many dimensions as there are, or insert the missing one first with `unsqueeze()`."
    )


def masked(call: Call) -> Found:
    """A mask that does not cover what it is to choose from."""
    if len(call.tensors) < 2:
        return None
    given, mask = call.tensors[:2]
    text = (
        f"{call.told(mask)}, and {call.told(given)}. A mask needs a truth value for each element of the first "
        f"{dims(len(call.shape(mask)))}."
    )
    shape = call.shape(given)
    columns = len(call.shape(mask)) == 1 and len(shape) == 2 and call.shape(mask)[0] == shape[1]
    argument = call.source(mask)
    fix = call.replaced(argument, f":, {ast.unparse(argument)}") if columns and argument is not None else None
    return mask, call.answer(SIZE, text, fix, f"Make the mask of {call.name(given)} itself, so that it has its shape.")


def dims(count: int) -> str:
    """``dimension`` or ``2 dimensions``."""
    return "dimension" if count == 1 else f"{count} dimensions"


def expanded(call: Call) -> Found:
    """expand(), or a write into an entry, of lengths that differ."""
    found = re.search(r"Target sizes: (\[[\d, ]*\])\.\s+Tensor sizes: (\[[\d, ]*\])", call.message)
    if found is None or not call.tensors:
        return None
    value = call.tensor("value")
    target = call.tensor("self")
    if value is not None and target is not None:
        text = f"{call.told(target)}, so {call.history.quoted(call.span)} has place for {found[1]}, and {call.told(value)}."
        return value, call.answer(
            SIZE, text, f"Give both one length: make {call.name(target)} or {call.name(value)} anew."
        )
    given = call.tensors[0]
    text = f"{call.told(given)}, and {found[1]} is asked for. Shapes are compared from the right, and only a 1 is stretched."
    shape, wanted = call.shape(given), [int(n) for n in found[1].strip("[]").split(",")]
    fix = call.given_as(given, "{}.unsqueeze(1)") if len(wanted) == 2 and shape == wanted[:1] else None
    return given, call.answer(SIZE, text, fix, "Insert the dimension that is to be stretched with `unsqueeze()`.")


def index(call: Call) -> Found:
    """An index past the end."""
    found = re.search(r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)", call.message)
    given = call.tensors[0] if call.tensors else None
    if found is None or given is None:
        return None
    size = int(found[3])
    indices = [t for t in call.tensors[1:] if call.row(t).dtype == "int64"]
    held = next((t for t in indices if int(found[1]) in call.held(t)), None)
    if held is not None:
        return entries(call, given, held, size)
    text = f"{call.told(given)}: in dimension {found[2]} there are {size} entries, 0 to {size - 1}, and {found[1]} is asked for."
    return given, call.answer("error", text, f"Ask for one of 0 to {size - 1}, or for `-1`, the last.")


def picked(call: Call) -> Found:
    """gather() and its like with an index of another number of dimensions."""
    if len(call.tensors) < 2:
        return None
    given, held = call.tensors[:2]
    count, wanted = len(call.shape(held)), len(call.shape(given))
    text = f"{call.told(given)}, and {call.told(held)}. An index needs as many dimensions as what it picks from: {wanted} against {count}."
    dimension = next((int(g.text) for g in call.refused.given if g.type == "int"), 0) % max(wanted, 1)
    fits = count + 1 == wanted and call.shape(held) == [n for at, n in enumerate(call.shape(given)) if at != dimension]
    fix = call.given_as(held, f"{{}}.unsqueeze({dimension})") if fits else None
    return held, call.answer(SIZE, text, fix, "Insert the missing dimension with `unsqueeze()`.")


def indices(call: Call) -> Found:
    """More indices than there are dimensions."""
    if not call.tensors or not isinstance(call.node, ast.Subscript) or not isinstance(call.node.slice, ast.Tuple):
        return None
    given, count = call.tensors[0], len(call.shape(call.tensors[0]))
    parts = [
        part for part in call.node.slice.elts if not (isinstance(part, ast.Constant) and part.value in (None, ...))
    ]
    text = f"{call.told(given)}: it has {count} dimensions, and {call.history.quoted(call.span)} gives {len(parts)} indices."
    return given, call.answer(SIZE, text, "Give at most one index for each dimension.")


def class_beyond(call: Call) -> Found:
    """one_hot() of a class past the last."""
    held = call.tensors[0] if call.tensors else None
    size = next((int(g.text) for g in call.refused.given if g.type == "int" and g.text.isdigit()), 0)
    wrong = next((i for i in call.held(held) if i >= size), None) if held is not None else None
    if held is None or wrong is None or size < 1:
        return None
    text = f"{size} classes are counted from 0 to {size - 1}, and {call.name(held)}{call.origin(held)} holds {wrong}."
    return held, call.answer("error", text, f"Ask for {wrong + 1} classes, or for none but 0 to {size - 1}.")


def row_of(call: Call) -> Found:
    """An index tensor that asks for a row past the end."""
    held = next((t for t in call.tensors if call.row(t).dtype in ("int64", "int32")), None)
    given = next((t for t in call.tensors if t != held), None)
    return (
        entries(call, given, held, call.shape(given)[0])
        if given is not None and held is not None and call.shape(given)
        else None
    )


def entries(call: Call, given: int, held: int, size: int) -> Found:
    """What an index tensor holds, beside how many entries there are."""
    numbers_held = call.held(held)
    wrong = next((i for i in numbers_held if not -size <= i < size), None)
    if wrong is None:
        return None
    text = f"{call.told(given)}: there are {size} entries, 0 to {size - 1}. {call.name(held)}{call.origin(held)} holds {wrong}."
    return held, call.answer("error", text, f"Ask for none but 0 to {size - 1}.")


def item(call: Call) -> Found:
    """One number is asked of a tensor that holds many: ``item()``, ``float(x)``."""
    given = call.tensors[0] if call.tensors else None
    if given is None:
        return None
    count = math.prod(call.shape(given))
    text = f"{call.told(given)}: {count} numbers, and {call.history.quoted(call.span)} wants the only one of a tensor."
    fix = call.given_as(given, "{}.mean()") if call.written and count else None
    return given, call.answer(
        SIZE, text, fix, "Reduce with `.mean()` or `.sum()` first, or use `.tolist()` for all of them."
    )


def seed(call: Call) -> Found:
    """What backward() is given has another shape."""
    root, given = call.tensor("self", "tensors"), call.tensor("gradient", "grad_tensors")
    if root is None or given is None:
        return None
    text = f"{call.told(root)}, and the gradient that `backward()` is given, {call.name(given)}, has another: {call.told(given)}."
    name = call.name(root).strip("`")
    argument = call.source(given)
    fix = call.replaced(argument, f"torch.ones_like({name})") if argument is not None else None
    return given, call.answer(SIZE, text, fix, f"Give it one of that shape: `torch.ones_like({name})`.")
