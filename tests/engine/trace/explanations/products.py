"""Laws of products of matrices and vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import LAWS, both, gives, near, sends_each


def H(array: Any) -> Any:  # noqa: N802 (as mathematics writes it)
    """The conjugated transpose of each matrix."""
    return np.conj(np.swapaxes(array, -1, -2))


def transpose_back(call: Call, name: str) -> Any:
    """One side of a matrix product gets the gradient multiplied by the other side, transposed."""
    left, right = list(call.arguments)[:2]
    return call.g @ H(call[right]) if name == left else H(call[left]) @ call.g


def is_column(a: Any, b: Any) -> bool:
    """Whether the right side is one vector for each matrix."""
    return np.ndim(b) == 1 or (np.ndim(a) - 1 == np.ndim(b) and np.shape(b) == np.shape(a)[:-1])


def added(call: Call) -> Any:
    """What is added to a product, `beta` times."""
    return call["beta"] * call["self"] if call["beta"] else 0


def product(call: Call) -> Any:
    first, second = list(call.arguments.values())[1:3]
    name = call.operator.name
    if name == "addr":
        made = np.multiply.outer(first, second)
    elif name == "addbmm":
        made = (first @ second).sum(0)
    else:
        made = first @ second
    return added(call) + call["alpha"] * made


plus = both(gives(lambda c: np.broadcast_to(product(c), c.result.shape)), lambda c: c.result.size > 0 or None)


def pairs(call: Call) -> Any:
    """Differences of every row to every other, and what they are raised to."""
    if "x2" in call.arguments:
        return call["x1"][..., :, None, :] - call["x2"][..., None, :, :], call.arguments.get("p", 2.0)
    rows = call["self"]
    return np.stack([rows[i] - rows[j] for i in range(len(rows)) for j in range(i + 1, len(rows))]), call["p"]


def crossed(call: Call, left: Any, right: Any) -> Any:
    dim = call["dim"] if call["dim"] is not None else -1
    return np.cross(left, right, axis=dim)


def trilinear(call: Call, left_out: str = "") -> Any:
    made = None
    for name, spread in zip(("i1", "i2", "i3"), ("expand1", "expand2", "expand3"), strict=True):
        factor = np.asarray(call[name])
        for d in sorted(call[spread]):
            factor = np.expand_dims(factor, d)
        if name != left_out:
            made = factor if made is None else made * factor
    return made


LAWS.update(
    {
        "The vector that stands upright on both": gives(lambda c: crossed(c, c["self"], c["other"])),
        "each side's gradient is again a cross product": sends_each(
            self=lambda c: crossed(c, c["other"], c.g), other=lambda c: crossed(c, c.g, c["self"])
        ),
        "Every row of the first matrix meets every column of the second in a dot product": gives(
            lambda c: c["self"] @ c["mat2"]
        ),
        "A stack of matrix products, one per batch entry": gives(lambda c: c["self"] @ c["mat2"]),
        "each matrix's gradient is multiplied by the other, transposed": sends_each(
            self=lambda c: c.g @ H(c["mat2"]), mat2=lambda c: H(c["self"]) @ c.g
        ),
        "Every row of the matrix meets the vector in a dot product": gives(lambda c: c["self"] @ c["vec"]),
        "the vector's gradient is multiplied by the matrix, transposed": sends_each(vec=lambda c: H(c["self"]) @ c.g),
        "Multiplies pair by pair and adds up": gives(lambda c: c["self"] @ c["tensor"]),
        "each side's slope is the other side": sends_each(
            self=lambda c: c.g * c["tensor"], tensor=lambda c: c.g * c["self"]
        ),
        "A dot product with the left side conjugated": gives(lambda c: np.vdot(c["self"], c["other"])),
        "A matrix product plus something, in one step": plus,
        "A stack of matrix products plus something": plus,
        "A stack of matrix products, added up over the stack, plus something": plus,
        "A matrix times a vector plus something": plus,
        "The table of all products of two vectors' elements, plus something": plus,
        "what was added gets the gradient unchanged, unless `beta` scales it": sends_each(
            self=lambda c: c["beta"] * c.g
        ),
        "Multiplies three tensors and sums": gives(lambda c: trilinear(c).sum(tuple(c["sumdim"]))),
        "each factor's slope is the product of the other two": lambda c: (
            near(np.sum(c.sent["i1"] * c["i1"]), np.sum(c.g * c.result))
            and near(np.sum(c.sent["i3"] * c["i3"]), np.sum(c.g * trilinear(c).sum(tuple(c["sumdim"]))))
        ),
    }
)
