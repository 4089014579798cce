"""Laws of norms and distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import LAWS, axis, back, gives, near, sends, where
from tests.engine.trace.explanations.products import pairs


def norm_of(call: Call, difference: Any, power: Any, along: Any) -> Any:
    """The p-norm, flat."""
    size = np.abs(difference)
    p = 2.0 if power is None else float(power)
    if np.isinf(p):
        return np.ravel((np.max if p > 0 else np.min)(size, axis=along))
    if p == 0:
        return np.ravel(np.sum(size != 0, axis=along))
    return np.ravel(np.sum(size**p, axis=along) ** (1 / p))


def power_of(call: Call) -> Any:
    return call.arguments.get("ord", call.arguments.get("p"))


def along_of(call: Call) -> Any:
    return axis(call) if "dim" in call.arguments else None


def norms(call: Call) -> bool:
    return near(np.ravel(call.result), norm_of(call, call.x, power_of(call), along_of(call)))


def over_groups(call: Call, array: Any) -> Any:
    if not np.ndim(call.x):
        return np.reshape(array, ())
    return np.broadcast_to(
        np.reshape(array, np.sum(call.x, axis=along_of(call), keepdims=True).shape), np.shape(call.x)
    )


direction = where(
    lambda c: power_of(c) in (None, 2, 2.0) and np.all(c.result != 0),
    sends(lambda c: over_groups(c, c.g) * c.x / over_groups(c, c.result)),
)


def distances(call: Call) -> Any:
    difference, power = pairs(call)
    return np.reshape(norm_of(call, difference, power, -1), difference.shape[:-1])


def pulls(call: Call) -> bool | None:
    """With distances of power 2, the gradient of a row is the sum of its unit differences, weighted."""
    difference, power = pairs(call)
    if power != 2.0 or np.any(distances(call) == 0):
        return None
    each = call.g[..., None] * difference / distances(call)[..., None]
    if "x2" in call.arguments:
        return near(call.sent["x1"], back(each.sum(-2), call["x1"].shape)) and near(
            call.sent["x2"], back(-each.sum(-3), call["x2"].shape)
        )
    rows, expected = len(call["self"]), np.zeros(np.shape(call["self"]))
    at = 0
    for i in range(rows):
        for j in range(i + 1, rows):
            expected[i] += each[at]
            expected[j] -= each[at]
            at += 1
    return near(call.d, expected)


def shortened(call: Call) -> Any:
    dim, p, most = call["dim"], call["p"], call["maxnorm"]
    others = tuple(d for d in range(np.ndim(call.x)) if d != dim % np.ndim(call.x))
    length = np.sum(np.abs(call.x) ** p, axis=others, keepdims=True) ** (1 / p)
    return np.where(length > most, call.x * most / (length + 1e-7), call.x)


def short(call: Call) -> Any:
    """Whether an element's slice stays as it is."""
    others = tuple(d for d in range(np.ndim(call.x)) if d != call["dim"] % np.ndim(call.x))
    return np.broadcast_to(np.all(shortened(call) == call.x, axis=others, keepdims=True), np.shape(call.x))


def lengths_named(call: Call) -> bool:
    """Every slice of the weight has the length that its part of g has, whatever the sign."""
    others = tuple(d for d in range(np.ndim(call["v"])) if d != call["dim"] % np.ndim(call["v"]))
    length = np.sqrt(np.sum(np.square(call.result), axis=others, keepdims=True))
    return near(length, np.abs(call["g"]))


LAWS.update(
    {
        "Gives every slice of `v` along `dim` the length that `g` names": lengths_named,
        "the second side gets the first one's gradient with its sign flipped": lambda c: (
            near(back(c.sent["self"], np.shape(c["other"])), -1 * c.sent["other"])
            if np.shape(c["self"]) == np.broadcast_shapes(np.shape(c["self"]), np.shape(c["other"]))
            else None
        ),
        "The p-norm of a vector, its length where p is 2": norms,
        "of a length, each element's slope is its part of the direction": direction,
        "of a 2-norm, each element's slope is its part of the direction": direction,
        "The p-norm along dimensions": norms,
        "The p-norm along a dimension": norms,
        "The p-norm of all elements": norms,
        "The p-norm of the difference": lambda c: near(
            np.ravel(c.result), norm_of(c, c["self"] - c["other"], c["p"], None)
        ),
        "Shortens every slice along `dim` whose norm exceeds `maxnorm`": gives(shortened),
        "a slice that is short enough gets its gradient unchanged": lambda c: (
            near(np.where(short(c), c.d, 0), np.where(short(c), c.g, 0)) if np.any(short(c)) else None
        ),
        "The distance of every row to every other row": gives(distances),
        "The distance of every pair of rows": gives(distances),
        "each pair pulls along its difference": pulls,
    }
)
