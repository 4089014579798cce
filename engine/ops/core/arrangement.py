"""In which order the elements of a new result lie in memory: PyTorch's rule for elementwise operators and for copies.

Numpy keeps the order of its operands too (``order="K"``), but resolves doubts otherwise: where two operands disagree PyTorch
follows the first, and a broadcast (step 0) has no say. This is ``TensorIteratorBase::reorder_dimensions`` and
``infer_dense_strides``, as facts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.autograd.layout import is_dense
from engine.ops.core.geometry import look
from engine.ops.core.memory_format import as_images, channels_last, common_format

ndarray = np.ndarray


def arranged(value: Any, operands: Sequence[Any]) -> Any:
    """``value``, computed element by element from ``operands``, in the order in which PyTorch would store it."""
    for operand in operands:
        if type(operand) is ndarray and not operand.flags.c_contiguous:
            return reordered(value, [o for o in operands if type(o) is ndarray])
    return value


def reordered(value: Any, operands: list[Any]) -> Any:
    """The same where an operand does not lie in row order."""
    first = operands[0]
    if all(o.shape == value.shape for o in operands) and is_dense(first):
        steps = elements(first)
        if all(elements(o) == steps for o in operands):
            made = stored(value, sorted(range(value.ndim), key=lambda axis: -steps[axis]))
            return stepping_as(made, first) if 1 in value.shape else made
    return stored(value, axes_by_step(value.shape, [broadcast_steps(o, value.shape) for o in operands]))


def in_rows(value: Any, operands: Sequence[Any]) -> Any:
    """``value`` in row order."""
    return value if value.flags.c_contiguous and 1 not in value.shape else value.copy("C")


def as_images_or_rows(value: Any, operands: Sequence[Any]) -> Any:
    """``value`` with its channels side by side if they are so in an operand that does not lie in row order too, else in row order."""
    made = as_images(value, [each for each in operands if type(each) is ndarray and not each.flags.c_contiguous])
    return in_rows(value, operands) if made is value else made


def as_first(value: Any, operands: Sequence[Any]) -> Any:
    """``value`` in the order of the first operand, whose shape it has (``preserve_format``)."""
    made = preserving(operands[0], value.dtype)
    if made.strides == value.strides:
        return value
    made[...] = value
    return made


def preserving(array: Any, dtype: Any = None) -> Any:
    """Room for a copy of ``array`` in PyTorch's ``preserve_format``: its order if that is without gaps, else the nearest."""
    if array.flags.c_contiguous or is_dense(array):
        room = np.empty_like(array, dtype, order="K", subok=False)
        return stepping_as(room, array) if 1 in array.shape else room
    axes = axes_by_step(array.shape, [array.strides])
    made = np.empty([array.shape[axis] for axis in axes], array.dtype if dtype is None else dtype)
    return made.transpose(np.argsort(axes))


def stepping_as(made: Any, array: Any) -> Any:
    """``made``, which lies in memory as ``array`` does, with the very steps of ``array`` along dimensions of length one."""
    steps = [step // array.itemsize for step in array.strides]
    return made if [step // made.itemsize for step in made.strides] == steps else look(made, made.shape, steps)


def joined(value: Any, operands: Sequence[Any]) -> Any:
    """``value``, joined of a list of arrays, with its channels side by side if they are so in all of them, else in row order."""
    form = common_format(operands[0]) if value.ndim in (4, 5) else "contiguous_format"
    return in_rows(value, operands) if form == "contiguous_format" else channels_last(value, form)


def piled(value: Any, operands: Sequence[Any]) -> Any:
    """``value``, a stack of arrays, as PyTorch stores it: joined along the dimension behind the new one, and then cut."""
    arrays, dim = operands
    place = dim % value.ndim
    if value.ndim not in (5, 6) or place == value.ndim - 1:
        return value
    end_to_end = (*value.shape[:place], value.shape[place] * value.shape[place + 1], *value.shape[place + 2 :])
    made = joined(value.reshape(end_to_end), (arrays,))
    return value if made.flags.c_contiguous else made.reshape(value.shape)


def rolled(value: Any, operands: Sequence[Any]) -> Any:
    """``value`` as PyTorch joins it of the two parts of what was rolled along a dimension; rolled as one row, in row order."""
    by_dimension = len(operands) > 2 and operands[2]
    return joined(value, ([operands[0]],)) if by_dimension else in_rows(value, operands)


def elements(array: Any) -> list[int]:
    """Its steps in elements, those of dimensions of length one put aside."""
    return [
        step // array.itemsize if length != 1 else 0 for step, length in zip(array.strides, array.shape, strict=True)
    ]


def broadcast_steps(array: Any, shape: Sequence[int]) -> list[int]:
    """Its steps along the dimensions of a shape it broadcasts to."""
    lead = len(shape) - array.ndim
    kept = zip(array.strides, array.shape, shape[lead:], strict=True)
    return [0] * lead + [0 if length == 1 and wanted != 1 else step for step, length, wanted in kept]


def axes_by_step(shape: Sequence[int], operands: Sequence[Sequence[int]]) -> list[int]:
    """Axes from the outermost to the innermost: the first operand that can tell two apart decides."""
    inner_first = list(range(len(shape)))[::-1]
    for start in range(1, len(shape)):
        place = start
        for earlier in range(start - 1, -1, -1):
            verdict = compare(inner_first[earlier], inner_first[place], shape, operands)
            if verdict > 0:
                inner_first[earlier], inner_first[place] = inner_first[place], inner_first[earlier]
                place = earlier
            elif verdict < 0:
                break
    return inner_first[::-1]


def compare(inner: int, outer: int, shape: Sequence[int], operands: Sequence[Sequence[int]]) -> int:
    """Positive if ``inner`` belongs further out than ``outer``, negative if it is right, 0 if nobody can tell."""
    for steps in operands:
        one, other = abs(steps[inner]), abs(steps[outer])
        if not one or not other:
            continue
        if one != other:
            return 1 if one > other else -1
        if shape[inner] > shape[outer]:
            return 1
    return 0


def stored(value: Any, axes: list[int]) -> Any:
    """``value`` so that it fills memory with ``axes`` from the outermost to the innermost."""
    turned = value.transpose(axes)
    if turned.flags.c_contiguous and 1 not in value.shape:
        return value
    return turned.copy("C").transpose(np.argsort(axes))


Order = Callable[[Any, Sequence[Any]], Any]
ORDERS: dict[str, Order | None] = {
    "": None, "elementwise": arranged, "first": as_first, "rows": in_rows, "images": as_images,
    "images or rows": as_images_or_rows, "joined": joined, "piled": piled, "rolled": rolled,
}  # fmt: skip
"""What an operator may declare; without a word its kernel decides."""
