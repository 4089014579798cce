"""What ``gradcheck`` asks of forward mode: the Jacobian by tangents, tangents that are missing, several at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.ops.core.tangents import tangent_of
from engine.ops.random.state import default_generator
from engine.tensor import Tensor, wrap
from engine.transforms.dual import make_dual
from engine.transforms.dual_level import dual_level
from engine.transforms.gradcheck.jacobians import (
    Checked,
    Function,
    GradcheckError,
    compare,
    differences,
    differentiable,
    flat,
    listed,
)


def check_forward(
    func: Function, given: Sequence[Any], returned: Any, checked: Checked, eps: float, tolerances: tuple[float, float]
) -> None:
    """``returned`` is what the function returned. Complex inputs are moved along the imaginary axis, then along the real one.

    Raises:
        GradcheckError: forward mode disagrees with the differences.
    """
    places = [place for place, output in enumerate(listed(returned)) if takes_part(output)]
    axes = (("imaginary", 1j), ("real", 1.0)) if any(t.dtype.is_complex for _, t in checked) else (("", 1.0),)
    for word, axis in axes:
        units = {i: axis if t.dtype.is_complex else 1.0 for i, t in checked}
        numerical = {i: differences(func, given, t, eps, units[i], differentiable) for i, t in checked}
        forward = {i: by_tangents(func, given, (i, t), units[i], places) for i, t in checked}
        for o in range(len(places)):
            for i, tensor in checked:
                prefix = (
                    f"While considering the {word} part of complex inputs only, " if tensor.dtype.is_complex else ""
                )
                words = (prefix, "computed with forward mode ")
                compare(numerical[i][o], forward[i][o], (o, i), tolerances, words)


def by_tangents(
    func: Function, given: Sequence[Any], place: tuple[int, Tensor], unit: complex, places: Sequence[int]
) -> list[np.ndarray]:
    """``[input element, output element]`` per output at ``places``: one tangent per element of the input."""
    i, tensor = place
    array = np.asarray(tensor._array)
    if not array.size:
        return [np.zeros((0, t._array.size)) for t in tangents(func, given, i, tensor.detach(), places)]
    rows = []
    for index in np.ndindex(array.shape):
        tangent = np.zeros(array.shape, array.dtype)
        tangent[index] = unit
        rows.append([flat(t) for t in tangents(func, given, i, wrap(tangent), places)])
    return [np.stack(columns) for columns in zip(*rows, strict=True)]


def takes_part(output: Any) -> bool:
    """Whether an output is differentiable."""
    return isinstance(output, Tensor) and output.requires_grad


def duals(given: Sequence[Any], moving: dict[int, Tensor]) -> list[Any]:
    """The inputs outside any graph, each with its tangent if it has one; call it inside a dual level."""
    return [
        make_dual(value.detach(), moving[place]) if place in moving else value.detach() if takes_part(value) else value
        for place, value in enumerate(given)
    ]


def still(given: Sequence[Any]) -> dict[int, Tensor]:
    """A tangent of zeros per differentiable input."""
    return {
        place: wrap(np.zeros_like(np.asarray(value._array))) for place, value in enumerate(given) if takes_part(value)
    }


def tangents(func: Function, given: Sequence[Any], place: int, tangent: Tensor, places: Sequence[int]) -> list[Tensor]:
    """Of the outputs at ``places``, when the input at ``place`` moves along ``tangent``; zeros where there is none."""
    with dual_level():
        outputs = listed(func(*duals(given, {**still(given), place: tangent})))
        found = [(outputs[at], tangent_of(outputs[at])) for at in places]
    return [o.detach() * 0 if t is None else t.detach() for o, t in found]


def check_missing_tangents(func: Function, given: Sequence[Any], checked: Checked) -> None:
    """Raises GradcheckError: an input without a tangent is treated unlike one whose tangent is zero."""
    rng = np.random.RandomState(0)
    moving = {
        place: wrap(rng.uniform(size=tensor._array.shape).astype(tensor._array.dtype)) for place, tensor in checked
    }
    for place, tensor in checked:
        others = {at: tangent for at, tangent in moving.items() if at != place}
        zero = wrap(np.zeros_like(np.asarray(tensor._array)))
        with dual_level():
            with_zero = list(map(tangent_of, listed(func(*duals(given, {**others, place: zero})))))
            without = list(map(tangent_of, listed(func(*duals(given, others)))))
        for number, (one, other) in enumerate(zip(with_zero, without, strict=True)):
            if one is not None and other is not None and not np.allclose(one._array, other._array):
                raise GradcheckError(
                    f"Mismatch in tangent values for output with index: {number} when input: {tensor!r} has an undefined tangent "
                    f"value. Got: {one!r} but expected: {other!r}"
                )


def check_forward_batches(func: Function, given: Sequence[Any], checked: Checked) -> None:
    """Moves each input along two tangents, and along the first of them as vmap would: an example at a time.

    Raises:
        GradcheckError: it cannot be run under vmap, or the result differs.
    """
    rng = np.random.RandomState(0)
    places = [place for place, output in enumerate(listed(func(*given))) if isinstance(output, Tensor)]
    for i, tensor in checked:
        directions = [wrap(rng.standard_normal(tensor._array.shape).astype(tensor._array.dtype)) for _ in range(2)]
        singly = [tangents(func, given, i, direction, places) for direction in directions]
        before = default_generator.get_state()
        together = tangents(func, given, i, directions[0], places)
        if bool((default_generator.get_state() != before).any()):
            raise GradcheckError(
                "While computing batched gradients, got: vmap: We do not yet support calling random operations inside of vmap. "
                "Please perform random operations outside of vmap as a workaround"
            )
        for o, (batch, one) in enumerate(zip(together, singly[0], strict=True)):
            if not np.allclose(batch._array, one._array):
                raise GradcheckError(
                    f"For output {o} and input {i}: batched forward gradients differ from those computed one by one."
                )
