"""Laws of what networks are made of: convolution, normalisation, attention, embeddings, resizing."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import LAWS, adjoint, gives, near, sends, sends_each, where
from tests.engine.trace.explanations.moves import only_moves, sources


def each(value: Any, dims: int) -> tuple[int, ...]:
    """A setting for each dimension."""
    return tuple(value) if isinstance(value, list | tuple) else (value,) * dims


def windows(call: Call) -> Any:
    """For each place of the result: where it is, and the slices that its window has in the padded input."""
    dims = call.result.ndim - 2
    stride, padding, dilation = (each(call[name], dims) for name in ("stride", "padding", "dilation"))
    kernel = np.shape(call["weight"])[2:]
    for place in np.ndindex(call.result.shape[2:]):
        yield (
            place,
            tuple(
                slice(at * step, at * step + (size - 1) * gap + 1, gap)
                for at, step, size, gap in zip(place, stride, kernel, dilation, strict=True)
            ),
        )
    assert len(padding) == dims


def padded(call: Call) -> Any:
    dims = np.ndim(call["input"]) - 2
    return np.pad(call["input"], [(0, 0), (0, 0), *((p, p) for p in each(call["padding"], dims))])


def groups(call: Call) -> Any:
    """Channels of the input and of the result that belong together."""
    count = call["groups"]
    inputs, outputs = np.shape(call["input"])[1] // count, np.shape(call["weight"])[0] // count
    for group in range(count):
        yield slice(group * inputs, (group + 1) * inputs), slice(group * outputs, (group + 1) * outputs)


def convolved(call: Call) -> Any:
    made = np.zeros(call.result.shape)
    image = padded(call)
    for place, window in windows(call):
        for ins, outs in groups(call):
            part = image[(slice(None), ins, *window)]
            made[(slice(None), outs, *place)] = np.tensordot(part, call["weight"][outs], (range(1, part.ndim),) * 2)
    if call["bias"] is not None:
        made = made + np.reshape(call["bias"], (1, -1, *[1] * (made.ndim - 2)))
    return made


def filter_gradient(call: Call) -> Any:
    made = np.zeros(np.shape(call["weight"]))
    image = padded(call)
    for place, window in windows(call):
        for ins, outs in groups(call):
            part = image[(slice(None), ins, *window)]
            made[outs] += np.tensordot(call.g[(slice(None), outs, *place)], part, (0, 0))
    return made


def dims_of(call: Call) -> int:
    return 3 if "3d" in call.operator.name else 2


def found(call: Call) -> bool:
    """The results stood at the places that are told."""
    dims, places = dims_of(call), call.results[1]
    flat = np.reshape(call.x, (*np.shape(call.x)[:-dims], -1))
    return near(
        np.take_along_axis(flat, places.reshape(*places.shape[:-dims], -1), -1).reshape(places.shape), call.result
    )


def standard(call: Call, array: Any, axes: tuple[int, ...], eps: float) -> Any:
    return (array - array.mean(axes, keepdims=True)) / np.sqrt(array.var(axes, keepdims=True) + eps)


def scaled(call: Call, array: Any, shape: Any) -> Any:
    weight = 1.0 if call["weight"] is None else np.reshape(call["weight"], shape)
    return array * weight + (0.0 if call["bias"] is None else np.reshape(call["bias"], shape))


def channels(call: Call) -> Any:
    return (1, -1, *[1] * (np.ndim(call["input"]) - 2))


def batch_normal(call: Call) -> Any:
    x, axes = call["input"], (0, *range(2, np.ndim(call["input"])))
    if call["training"]:
        return scaled(call, standard(call, x, axes, call["eps"]), channels(call))
    mean, spread = np.reshape(call["running_mean"], channels(call)), np.reshape(call["running_var"], channels(call))
    return scaled(call, (x - mean) / np.sqrt(spread + call["eps"]), channels(call))


def layer_normal(call: Call) -> Any:
    shape = tuple(call["normalized_shape"])
    return scaled(call, standard(call, call["input"], tuple(range(-len(shape), 0)), call["_eps"]), shape)


def grouped(call: Call, array: Any) -> Any:
    return np.reshape(array, (call["N"], call["group"], -1))


def group_normal(call: Call) -> Any:
    made = standard(call, grouped(call, call["input"]), (2,), call["eps"]).reshape(np.shape(call["input"]))
    return scaled(call, made, channels(call))


def attention(call: Call) -> Any:
    """The weights of the values."""
    q, k = call["query"], per_query_head(call, "key")
    scale = call["scale"] if call["scale"] is not None else 1 / np.sqrt(q.shape[-1])
    scores = q @ np.swapaxes(k, -1, -2) * scale
    if call["is_causal"]:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    mask = call["attn_mask"]
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if np.asarray(mask).dtype == bool else scores + mask
    return special.softmax(scores, axis=-1)


def per_query_head(call: Call, name: str) -> Any:
    """Keys or values, repeated where a group of query heads shares one head of them."""
    return np.repeat(call[name], call["query"].shape[-3] // call[name].shape[-3], axis=-3)


def summed_over_groups(call: Call, gradient: Any) -> Any:
    """What the query heads of each group send back, added up."""
    heads = call["value"].shape[-3]
    *lead, query_heads, positions, width = gradient.shape
    return gradient.reshape(*lead, heads, query_heads // heads, positions, width).sum(-3)


def bags(call: Call) -> list[Any]:
    """The places in `indices` of each bag's members."""
    starts = [int(at) for at in call["offsets"]]
    ends = [*starts[1:], np.size(call["indices"])]
    if call["include_last_offset"]:
        ends = ends[: len(starts) - 1]
        starts = starts[: len(ends)]
    padding = call["padding_idx"]
    return [
        [at for at in range(start, end) if padding is None or padding < 0 or np.ravel(call["indices"])[at] != padding]
        for start, end in zip(starts, ends, strict=True)
    ]


def bagged(call: Call) -> Any:
    indices, weights = np.ravel(call["indices"]), call["per_sample_weights"]
    made = []
    for bag in bags(call):
        rows = call["weight"][indices[bag]] * (1 if weights is None else np.ravel(weights)[bag][:, None])
        made.append(np.zeros(rows.shape[1]) if not bag else [np.sum, np.mean, np.max][call["mode"]](rows, axis=0))
    return np.array(made)


def bag_shares(call: Call) -> Any:
    indices, weights = np.ravel(call["indices"]), call["per_sample_weights"]
    made = np.zeros(np.shape(call["weight"]))
    for arrived, bag in zip(call.g, bags(call), strict=True):
        for at in bag:
            if call["mode"] == 2:
                top = call["weight"][indices[bag]].max(0)
                first = [
                    next(m for m in bag if call["weight"][indices[m], column] == top[column])
                    for column in range(len(top))
                ]
                made[indices[at]] += arrived * (np.array(first) == at)
            else:
                part = arrived / len(bag) if call["mode"] == 1 else arrived
                made[indices[at]] += part * (1 if weights is None else np.ravel(weights)[at])
    return made


def rows_taken(call: Call) -> Any:
    made = np.zeros(np.shape(call["weight"]))
    indices = np.ravel(call["indices"])
    arrived = call.g.reshape(indices.size, -1)
    for at, row in enumerate(indices):
        if row != call["padding_idx"]:
            times = np.sum(indices == row) if call["scale_grad_by_freq"] else 1
            made[row] += arrived[at] / times
    return made


def scores(call: Call) -> Any:
    """Classes last, one row for each target; the targets, and their weights (0 for the one that is ignored)."""
    rows = np.moveaxis(call["self"], 1, -1) if np.ndim(call["self"]) > 1 else call["self"][None]
    rows, target = rows.reshape(-1, rows.shape[-1]), np.ravel(call["target"])
    inside = np.where(target == call["ignore_index"], 0, target)
    weights = np.ones(rows.shape[-1]) if call["weight"] is None else call["weight"]
    return rows, inside, np.where(target == call["ignore_index"], 0, weights[inside])


def lstm(call: Call) -> Any:
    """One layer, step by step."""
    x, h, c = (np.asarray(call[name], float) for name in ("input", "hx_", "cx_"))
    w, u, b, d = (np.asarray(call[f"weight{n}"], float) for n in range(4))
    h, c, size = np.reshape(h, (-1, h.shape[-1])), np.reshape(c, (-1, c.shape[-1])), h.shape[-1]
    steps = range(len(x))[::-1] if call["reverse"] else range(len(x))
    made: list[Any] = [None] * len(x)
    for step in steps:
        gates = x[step] @ w.T + h @ u.T + b + d
        i, f, g, o = (gates[:, n * size : (n + 1) * size] for n in range(4))
        c = special.expit(f) * c + special.expit(i) * np.tanh(g)
        h = special.expit(o) * np.tanh(c)
        made[step] = h
    return np.array(made)


def moves_the_end(call: Call) -> bool:
    """The gradient of the input at every step tells how the result moves: by differences, in single precision."""
    for step in range(len(call["input"])):
        push = np.zeros_like(call["input"])
        push[step] = 1.0
        little = np.float32(2e-2)
        more, less = (call.again(input=call["input"] + sign * little * push) for sign in (1, -1))
        moved = sum(
            np.sum(g * (high - low)) for g, high, low in zip(call.incoming, more.results, less.results, strict=False)
        )
        if not np.allclose(np.sum(call.sent["input"] * push), moved / (2 * little), rtol=2e-2, atol=2e-3):
            return False
    return True


def between(call: Call) -> bool:
    """No value lies outside of what the image holds, or it is the zero padding, and a constant image stays constant."""
    ones = call.again(input=np.ones_like(call["input"]), grid=np.asarray(call["grid"]) * 0)
    return near(ones.result, np.ones_like(ones.result)) and bool(
        np.all(
            (call.result <= max(0, call["input"].max()) + 1e-9) & (call.result >= min(0, call["input"].min()) - 1e-9)
        )
    )


def affine(call: Call) -> Any:
    """The map on every point of the grid from −1 to 1."""
    *_, height, width = call["size"]
    made = []
    for length in (height, width):
        line = np.linspace(-1, 1, length) if length > 1 else np.zeros(1)
        made.append(line if call["align_corners"] else line * (length - 1) / length)
    rows, columns = np.meshgrid(*made, indexing="ij")
    return np.stack([columns, rows, np.ones_like(rows)], -1)


def affine_map(call: Call) -> Any:
    return np.einsum("hwk,njk->nhwj", affine(call), call["theta"])


def in_time(call: Call) -> Any:
    """The steps of all sequences, the first ones first."""
    x = np.swapaxes(call["input"], 0, 1) if call["batch_first"] else call["input"]
    lengths = np.ravel(call["lengths"])
    return np.concatenate([x[step, lengths > step] for step in range(int(lengths.max()))])


def inside_only(call: Call) -> bool:
    """The middle is the input, and the border shows it."""
    kept = sources(call)
    pads = list(call["padding"])
    middle = tuple(
        slice(pads[2 * d], call.result.shape[-1 - d] - pads[2 * d + 1]) for d in reversed(range(len(pads) // 2))
    )
    return bool(np.all(kept >= 0)) and near(call.result[(..., *middle)], call.x)


def raising_one(call: Call) -> bool:
    """Raising one score raises its share and lowers all others: y · (g − Σ g·y)."""
    y, dim = call.result, call["dim"]
    return near(call.d, y * (call.g - (call.g * y).sum(dim, keepdims=True))) if np.ndim(y) else near(call.d, 0 * y)


def softmaxed(call: Call) -> Any:
    return special.softmax(call.x, axis=call["dim"]) if np.ndim(call.x) else np.ones(())


def normal_sums(rows: Any) -> Any:
    """The gradients of a row of what was standardised add up to zero, apart from what came for the row's mean itself."""

    def law(call: Call) -> bool:
        sums = np.sum(rows(call), axis=-1)
        return near(sums, call.incoming[1].reshape(sums.shape) if len(call.incoming) > 1 else np.zeros(sums.shape))

    return law


LAWS.update(
    {
        "Shares that add up to one": lambda c: (
            near(np.sum(c.result, axis=c["dim"]), np.ones(np.sum(c.result, axis=c["dim"]).shape))
            if np.all(np.any(np.isfinite(c.x), axis=c["dim"]))
            else None
        ),
        "where everything is masked they are zero": lambda c: near(
            c.again(self=np.full(np.shape(c.x), -np.inf)).result, np.zeros(np.shape(c.x))
        ),
        "Turns scores into shares that add up to one": gives(softmaxed),
        "raising one score takes from all the others": raising_one,
        "The logarithm of softmax": gives(lambda c: np.log(softmaxed(c))),
        "the gradient is what came in less its sum times the share": sends(
            lambda c: c.g - c.g.sum(c["dim"], keepdims=True) * softmaxed(c) if np.ndim(c.x) else 0 * c.g
        ),
        "Each query takes a mean of the values, weighted by how well it matches the keys": gives(
            lambda c: attention(c) @ per_query_head(c, "value")
        ),
        "the values' gradients are taken by the same weights": sends_each(
            value=lambda c: summed_over_groups(c, np.swapaxes(attention(c), -1, -2) @ c.g)
        ),
        "Takes rows out of a table": gives(lambda c: c["weight"][c["indices"]]),
        "a row's gradient adds up over all the places where it was taken": sends(rows_taken),
        "Looks rows up and reduces each bag": gives(bagged),
        "the rows of a bag share its gradient": sends_each(weight=bag_shares),
        "Gives each channel mean 0 and variance 1 over the batch (or by the kept statistics), then scales and shifts it": gives(
            batch_normal
        ),
        "in training a channel's gradients add up to zero, for all samples share its mean": where(
            lambda c: c["training"],
            normal_sums(lambda c: np.moveaxis(c.sent["input"], 1, 0).reshape(c.sent["input"].shape[1], -1)),
        ),
        "Gives each sample mean 0 and variance 1 over its features, then scales and shifts": gives(layer_normal),
        "a sample's gradients add up to zero, for all features share its mean": normal_sums(
            lambda c: c.sent["input"].reshape(-1, int(np.prod(c["normalized_shape"])))
        ),
        "Gives each group of channels mean 0 and variance 1 within its sample, then scales and shifts each channel": gives(
            group_normal
        ),
        "a group's gradients add up to zero, for all of it share its mean": normal_sums(
            lambda c: grouped(c, c.sent["input"])
        ),
        "A sixth between the corners": gives(lambda c: c["grad_output"] * (np.abs(c["self"]) < 3) / 6),
        "PyTorch gives it no derivative of its own": lambda c: "derivative" in c.refused,
        "Slides small filters over the input": where(lambda c: not c["transposed"], gives(convolved)),
        "a filter's gradient adds up over all the places it looked at": where(
            lambda c: not c["transposed"], sends_each(weight=filter_gradient)
        ),
        "Lays every window out as a column": only_moves,
        "an element in several windows gets the gradients of all": only_moves,
        "Adds columns up where their windows overlap": lambda c: (
            near(np.sum(c.result), np.sum(c.x)) if not np.any(c["padding"]) else None
        ),
        "every element gets its sum's gradient": adjoint,
        "Resizes, each output a weighted sum of near inputs": lambda c: near(
            c.again(self=np.ones_like(c.x)).result, np.ones(c.result.shape)
        ),
        "its gradient goes back by the same weights": adjoint,
        "the pulls of all classes add up to zero": lambda c: near(np.sum(c.d), 0.0),
        "Lines up the first steps of all sequences, then the second ones, and so on": gives(in_time),
        "padding is dropped and gets zero gradient": only_moves,
        "Extends the borders with what is inside": inside_only,
        "an element shown twice gets both gradients": only_moves,
        "Runs a whole LSTM layer as one node": lambda c: bool(np.allclose(c.result, lstm(c), atol=1e-5)),
        "going back, gradients flow through all steps": moves_the_end,
        "Reads the image at any places between pixels": between,
        "a pixel gets the gradient of what it was read for, by the same weights": lambda c: adjoint(c, "input"),
        "Moves a regular grid by an affine map": where(lambda c: len(c["size"]) == 4, gives(affine_map)),
        "the map's gradient adds up over all places": where(
            lambda c: len(c["size"]) == 4, sends(lambda c: np.einsum("hwk,nhwj->njk", affine(c), c.g))
        ),
    }
)
