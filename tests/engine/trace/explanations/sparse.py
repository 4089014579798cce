"""Laws of operators that make, take apart and compute with sparse tensors; arrays are dense here, with zeros for what is not stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import torch
from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import LAWS, Law, both, gives, near, sends, sends_each, where
from tests.engine.trace.explanations.products import H, product


def stored(call: Call, name: str = "") -> Any:
    """Which elements of a sparse argument are stored."""
    return call.stored[name or next(iter(call.sent))]


def at_its_places(expected: Any) -> Law:
    """The first argument's gradient is that where it stores something, and 0 elsewhere."""
    return lambda call: near(call.d, np.where(stored(call), expected(call), 0))


def comes_back(call: Call) -> bool:
    """The gradient is passed on, in the layout that the argument had."""
    was = call.given[call.operator.differentiable[0]]
    return near(call.d, call.g) and call.layouts == [getattr(was, "layout", torch.strided)]


def filled(call: Call) -> Any:
    """The values where the coordinates say."""
    whole = np.zeros(call["size"])
    whole[tuple(call["indices"])] = call["values"]
    return whole


def filled_lines(call: Call) -> Any:
    """The values line by line."""
    whole = np.zeros(call["size"])
    for row, (begin, end) in enumerate(zip(call["starts"], call["starts"][1:], strict=False)):
        whole[row, call["others"][begin:end]] = call["values"][begin:end]
    return whole


def kept_by_the_mask(call: Call) -> Any:
    return np.where(stored(call, "mask"), call.x, 0)


def shares(call: Call) -> Any:
    powers = np.where(stored(call), np.exp(call.x), 0)
    sums = powers.sum(call["dim"], keepdims=True)
    return powers / np.where(sums > 0, sums, 1)


def logarithms(call: Call) -> Any:
    return np.where(stored(call), np.log(np.where(stored(call), shares(call), 1)), 0)


def pulled_down(call: Call) -> bool:
    """A share's slope is itself times what it got beyond the shares' mean; a logarithm's is less by its share of all."""
    dim = call["dim"]
    if call.operator.class_name == "SparseLogSoftmaxBackward0":
        return near(call.d, np.where(stored(call), call.g - shares(call) * call.g.sum(dim, keepdims=True), 0))
    mean = (call.g * shares(call)).sum(dim, keepdims=True)
    return near(call.d, np.where(stored(call), shares(call) * (call.g - mean), 0))


def spread(call: Call) -> Any:
    """What arrived for a sum, seen by everything that went into it."""
    return np.broadcast_to(np.expand_dims(call.g, call["dim"]), call.x.shape)


def only_where_stored(call: Call) -> bool:
    """Each factor's gradient is the usual one at its places (all, if it is dense), and 0 elsewhere."""
    names = ("mat1", "mat2") if "mat1" in call.arguments else ("self", "other")
    left, right = (call[name] for name in names)
    factor = call.arguments.get("alpha", 1)
    usual = {names[0]: call.g @ H(right) * factor, names[1]: H(left) @ call.g * factor}
    return all(
        near(call.sent[name], usual[name] if call.stored[name] is None else np.where(call.stored[name], usual[name], 0))
        for name in names
        if call.sent.get(name) is not None
    )


def counting(call: Call) -> Any:
    """How much each product (row, stored value, column) counts for its place in the result."""
    kept = np.broadcast_to(stored(call, "self")[:, :, None], (*call["self"].shape, call["other"].shape[1]))
    if call["reduce"] in ("sum", "mean"):
        return kept / (np.maximum(kept.sum(1, keepdims=True), 1) if call["reduce"] == "mean" else 1)
    sign = 1 if call["reduce"] == "amax" else -1
    products = np.where(kept, sign * call["self"][:, :, None] * call["other"], -np.inf)
    return (np.arange(kept.shape[1])[:, None] == products.argmax(1)[:, None]) & kept


def reduced(call: Call) -> Any:
    return (counting(call) * call["self"][:, :, None] * call["other"]).sum(1)


def goes_back(call: Call) -> bool:
    share = counting(call) * call.g[:, None]
    return near(call.sent["self"], (share * call["other"]).sum(2)) and near(
        call.sent["other"], (share * call["self"][:, :, None]).sum(0)
    )


LAWS.update(
    {
        "Keeps what is not 0, with its coordinates along the first dimensions": gives(lambda call: call.x),
        "the gradient comes back dense": comes_back,
        "Keeps what is not 0, with its places": gives(lambda call: call.x),
        "the gradient comes back as the tensor was": comes_back,
        "Keeps what is not 0, row by row": gives(lambda call: call.x),
        "Keeps what is not 0, column by column": gives(lambda call: call.x),
        "Keeps blocks of what is not 0, row by row": gives(lambda call: call.x),
        "Keeps blocks of what is not 0, column by column": gives(lambda call: call.x),
        "Writes every stored value at its place among zeros": gives(lambda call: np.where(stored(call), call.x, 0)),
        "only the stored places get a gradient": at_its_places(lambda call: call.g),
        "Adds up values at one place and puts the places in order": gives(lambda call: call.x),
        "The values without their places": gives(lambda call: call.x[stored(call)]),
        "each gets its own gradient back": lambda call: near(call.d[stored(call)], call.g),
        "Puts values at their places": gives(filled),
        "Puts values in their rows or columns": gives(filled_lines),
        "each value gets the gradient of its place": lambda call: near(
            call.d, call.g[tuple(call["indices"])] if "indices" in call.arguments else call.g[filled_lines(call) != 0]
        ),
        "Keeps what stands at the places of a sparse mask": gives(kept_by_the_mask),
        "the gradient arrives at these places, and is 0 at all others": sends(
            lambda call: np.where(stored(call, "mask"), call.g, 0)
        ),
        "A sparse matrix times a dense one, plus something": gives(product),
        "the sparse one gets a gradient at its stored places only": both(
            only_where_stored, sends_each(self=lambda call: call["beta"] * call.g)
        ),
        "Multiplies each stored value by the row it points at and reduces these row by row": gives(reduced),
        "a gradient goes back to what counted": goes_back,
        "The product of two sparse matrices": gives(lambda call: call["self"] @ call["other"]),
        "each gets a gradient at its stored places only": only_where_stored,
        "Adds up along dimensions what is stored": gives(lambda call: call.x.sum(call["dim"])),
        "every stored value gets its sum's gradient back, the others nothing": at_its_places(spread),
        "Turns what is stored along a dimension into shares of 1": gives(shares),
        "each pulls the others down, and nothing else gets a gradient": pulled_down,
        "The logarithms of the shares of 1 that stored values have along a dimension": gives(logarithms),
        "each pulls the others down": where(lambda call: "_sparse" in call.operator.name, pulled_down),
    }
)
