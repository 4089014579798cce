"""Laws of operators that write over elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import (
    LAWS,
    both,
    gives,
    near,
    nothing,
    sends,
    sends_each,
)
from tests.engine.trace.explanations.moves import FAR, index_key, sources


def overwritten(call: Call) -> bool | None:
    """What the operator leaves of the old values gets the gradient, what it overwrote gets zero."""
    name = next(iter(call.arguments))
    if call.sent.get(name) is None or call.arguments.get("accumulate"):
        return None
    old = call.again(**{name: np.asarray(call[name]) + FAR}).result
    return near(call.sent[name], np.where(np.real(old) > FAR / 2, call.g, 0))


def written(name: str) -> Any:
    """An argument's elements get the gradients of the places where they are found in the result."""

    def law(call: Call) -> bool | None:
        if call.sent.get(name) is None:
            return None
        given = np.asarray(call[name])
        numbered = np.arange(FAR, FAR + given.size, dtype=float).reshape(given.shape)
        zero = call.again(**{name: np.zeros(given.shape), "self": np.zeros(np.shape(call["self"]))}).result
        found = call.again(**{name: numbered, "self": np.zeros(np.shape(call["self"]))}).result - zero
        if np.any(found > 1.9 * FAR):
            return None  # several were added into one place: no number tells them apart
        places = np.where(found >= FAR - 0.5, found - FAR, -1).round().astype(int)
        if np.any(places >= given.size):
            return False
        expected = np.zeros(given.size)
        np.add.at(expected, places[places >= 0], call.g[places >= 0])
        return near(call.sent[name], expected.reshape(given.shape))

    return law


def zero_before(call: Call) -> bool:
    return near(call.d, nothing(call))


def along(call: Call) -> Any:
    """The indexed places along `dim`, as a key of numpy's."""
    key: list[Any] = [slice(None)] * np.ndim(call["self"])
    if not key:
        return ()
    key[call["dim"]] = np.atleast_1d(call["index"])
    return tuple(key)


def put_in(call: Call, values: Any, key: Any, add: bool = False) -> Any:
    whole = np.array(call["self"])
    if add:
        np.add.at(whole, key, values)
    else:
        whole[key] = values
    return whole


def scattered(call: Call, values: Any, add: bool = False) -> Any:
    index = call["index"]
    if not np.ndim(index):
        return np.asarray(values) + (call["self"] if add else 0)
    grid = list(np.indices(index.shape))
    grid[call["dim"]] = index
    taken = values if np.ndim(values) == 0 else values[tuple(slice(0, length) for length in index.shape)]
    return put_in(call, taken, tuple(grid), add)


def flat_put(call: Call) -> Any:
    whole = np.ravel(np.array(call["self"])).copy()
    if call["accumulate"]:
        np.add.at(whole, np.ravel(call["index"]), np.ravel(call["source"]))
    else:
        whole[np.ravel(call["index"])] = np.ravel(call["source"])
    return whole


def put_in_zero(call: Call) -> Any:
    """The gradient with zeros where the index points."""
    whole = np.array(call.g)
    whole[along(call)] = 0
    return whole


LAWS.update(
    {
        "Overwrites x with y": gives(lambda c: np.broadcast_to(c["src"], c.result.shape)),
        "Overwrites every element with a number": gives(lambda c: np.full(c.result.shape, c["value"])),
        "Overwrites every element with zero": gives(lambda c: np.zeros(c.result.shape)),
        "Overwrites every element with the value of a 0-d tensor, which gets the sum of all gradients": both(
            gives(lambda c: np.full(c.result.shape, c["value"])), sends_each(value=lambda c: c.g)
        ),
        "what was there before gets zero gradient": zero_before,
        "Takes the first where the condition holds, else the second": gives(
            lambda c: np.where(c["condition"], c["self"], c["other"])
        ),
        "the gradient goes to whichever was taken, the other gets zero": sends_each(
            self=lambda c: np.where(c["condition"], c.g, 0), other=lambda c: np.where(c["condition"], 0, c.g)
        ),
        "Puts a number where the mask is set": gives(lambda c: np.where(c["mask"], c["value"], c["self"])),
        "no gradient passes there": sends(lambda c: np.where(c["mask"], 0, c.g)),
        "Puts a 0-d tensor's value where the mask is set": gives(lambda c: np.where(c["mask"], c["value"], c["self"])),
        "it gets the sum of the gradients there": sends_each(value=lambda c: np.where(c["mask"], c.g, 0)),
        "Puts a source's elements, one after the other, where the mask is set": lambda c: near(
            c.result[np.broadcast_to(c["mask"], c.result.shape)],
            np.ravel(c["source"])[: np.sum(np.broadcast_to(c["mask"], c.result.shape))],
        ),
        "each gets the gradient of its place": lambda c: (
            written("source" if "source" in c.arguments else "src")(c)
            if c.arguments.get("alpha", 1) == 1
            else near(c.sent["source"], c["alpha"] * c.again(alpha=1).sent["source"])
        ),
        "Writes (or adds) values where index tensors point": gives(
            lambda c: put_in(c, c["values"], index_key(c), bool(c["accumulate"]))
        ),
        "they get the gradient there, and what was overwritten gets zero": both(written("values"), overwritten),
        "Adds values at indexed places where a mask is set": gives(
            lambda c: put_in(c, np.where(c["mask"], c["values"], 0), index_key(c), True)
        ),
        "Writes a source's elements to indexed places": gives(lambda c: scattered(c, c["src"])),
        "each gets the gradient of its place, what was overwritten gets zero": both(written("src"), overwritten),
        "Writes a number to indexed places along a dimension": gives(lambda c: scattered(c, c["value"])),
        "what was overwritten gets zero": overwritten,
        "Adds a source's elements into indexed places along a dimension": gives(lambda c: scattered(c, c["src"], True)),
        "Writes (or adds) elements by their number in the flattened tensor": lambda c: near(
            np.ravel(c.result), np.ravel(flat_put(c))
        ),
        "Adds a source's slices (times `alpha`) to the slices that an index names": gives(
            lambda c: put_in(c, c["alpha"] * np.asarray(c["source"]), along(c), True)
        ),
        "Writes slices of a source over the slices that an index names": gives(
            lambda c: put_in(c, c["source"], along(c))
        ),
        "Writes a number over the slices that an index names": gives(lambda c: put_in(c, c["value"], along(c))),
        "Writes a 0-d tensor's value over the slices that an index names": gives(
            lambda c: put_in(c, c["value"], along(c))
        ),
        "it gets the sum of their gradients": sends_each(value=lambda c: c.g - put_in_zero(c)),
        "the new slice gets the gradient there, what it replaced gets zero": both(written("src"), overwritten),
        "A copy with a range replaced": lambda c: near(
            c.result[tuple([slice(None)] * (c["dim"] % c.result.ndim) + [slice(c["start"], c["end"], c["step"])])],
            c["src"],
        ),
        "the new part gets the gradient there, what it replaced gets zero": both(written("src"), overwritten),
        "A copy with a diagonal replaced": lambda c: near(
            np.diagonal(c.result, c["offset"], c["dim1"], c["dim2"]), c["src"]
        ),
        "the new diagonal gets the gradient there, what it replaced gets zero": both(written("src"), overwritten),
        "A copy with a window replaced": lambda c: bool(np.all(np.isin(c["src"], c.result))),
        "the new window gets the gradient there": written("src"),
        "Puts a margin of one value around (or, with negative numbers, cuts off)": lambda c: bool(
            np.all((sources(c) >= 0) | (c.result == c["value"]))
        ),
    }
)
