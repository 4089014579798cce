"""Laws of pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import LAWS, both, gives, sends
from tests.engine.trace.explanations.layers import dims_of, each, found


def pooled_regions(call: Call) -> Any:
    """For each place of the result, the slices of its region."""
    dims = len(call["output_size"])
    sizes, parts = np.shape(call.x)[-dims:], call.result.shape[-dims:]
    for place in np.ndindex(parts):
        yield (
            place,
            tuple(
                slice(at * size // part, -(-(at + 1) * size // part))
                for at, size, part in zip(place, sizes, parts, strict=True)
            ),
        )


def by_region(call: Call, function: Any) -> Any:
    dims = len(call["output_size"])
    made = np.zeros(call.result.shape)
    for place, region in pooled_regions(call):
        made[(..., *place)] = function(call.x[(..., *region)], axis=tuple(range(-dims, 0)))
    return made


def region_shares(call: Call) -> Any:
    dims = len(call["output_size"])
    made = np.zeros(np.shape(call.x))
    for place, region in pooled_regions(call):
        size = np.prod([part.stop - part.start for part in region])
        made[(..., *region)] += call.g[(..., *place)].reshape(*call.g.shape[:-dims], *[1] * dims) / size
    return made


def pool_windows(call: Call) -> Any:
    """For each place of the result, the slices of its window in the padded input, and in how many elements it counts."""
    dims = len(each(call["kernel_size"], 2)) if isinstance(call["kernel_size"], list | tuple) else call.x.ndim - 2
    kernel = each(call["kernel_size"], dims)
    stride = each(call["stride"] or kernel, dims)
    padding = each(call["padding"], dims)
    gaps = each(call.arguments.get("dilation", 1), dims)
    sizes = np.shape(call.x)[-dims:]
    for place in np.ndindex(call.result.shape[-dims:]):
        starts = [at * step - pad for at, step, pad in zip(place, stride, padding, strict=True)]
        inside = tuple(
            [index for index in range(start, start + size * gap, gap) if 0 <= index < length]
            for start, size, gap, length in zip(starts, kernel, gaps, sizes, strict=True)
        )
        ends = [
            min(start + size, length + pad) - start
            for start, size, length, pad in zip(starts, kernel, sizes, padding, strict=True)
        ]
        yield place, inside, int(np.prod(ends))


def divisor(call: Call, inside: Any, whole: int) -> int:
    if call["divisor_override"]:
        return int(call["divisor_override"])
    return whole if call["count_include_pad"] else int(np.prod([len(part) for part in inside]))


def averaged(call: Call) -> Any:
    made = np.zeros(call.result.shape)
    for place, inside, whole in pool_windows(call):
        dims = len(place)
        part = call.x[(..., *np.ix_(*inside))]
        made[(..., *place)] = part.sum(tuple(range(-dims, 0))) / divisor(call, inside, whole)
    return made


def window_shares(call: Call) -> Any:
    made = np.zeros(np.shape(call.x))
    for place, inside, whole in pool_windows(call):
        dims = len(place)
        part = call.g[(..., *place)].reshape(*call.g.shape[:-dims], *[1] * dims)
        made[(..., *np.ix_(*inside))] += part / divisor(call, inside, whole)
    return made


def largest_of_windows(call: Call) -> Any:
    made = np.zeros(call.result.shape)
    for place, inside, _ in pool_windows(call):
        made[(..., *place)] = call.x[(..., *np.ix_(*inside))].max(tuple(range(-len(place), 0)))
    return made


def to_found(call: Call) -> Any:
    """Each window's gradient at the place that was found."""
    dims, places = dims_of(call), call.results[1]
    lead = places.shape[:-dims]
    made = np.zeros((int(np.prod(lead)), int(np.prod(np.shape(call.x)[-dims:]))))
    for row, (at, arrived) in enumerate(zip(places.reshape(len(made), -1), call.g.reshape(len(made), -1), strict=True)):
        np.add.at(made[row], at, arrived)
    return made.reshape(np.shape(call.x))


def put_back(call: Call) -> Any:
    dims, places = dims_of(call), call["indices"]
    rows = int(np.prod(places.shape[:-dims]))
    made = np.zeros((rows, int(np.prod(call.result.shape[-dims:]))))
    for row, (at, values) in enumerate(zip(places.reshape(rows, -1), np.reshape(call.x, (rows, -1)), strict=True)):
        made[row, at] = values
    return made.reshape(call.result.shape)


def read_there(call: Call) -> Any:
    dims, places = dims_of(call), call["indices"]
    flat = call.g.reshape(*call.g.shape[:-dims], -1)
    return np.take_along_axis(flat, places.reshape(*places.shape[:-dims], -1), -1).reshape(places.shape)


LAWS.update(
    {
        "Averages each window": gives(averaged),
        "every element in it gets an equal part of the window's gradient": sends(window_shares),
        "Cuts the input into regions and averages each": gives(lambda c: by_region(c, np.mean)),
        "a region's elements share its gradient equally": sends(region_shares),
        "Keeps the largest of each window": gives(largest_of_windows),
        "that element gets the window's gradient, the others get zero": both(found, sends(to_found)),
        "Cuts the input into regions and keeps the largest of each": gives(lambda c: by_region(c, np.max)),
        "that element gets the region's gradient, the others get zero": both(found, sends(to_found)),
        "Keeps the largest of each randomly placed window": found,
        "Puts each value back where pooling found it, zeros elsewhere": gives(put_back),
        "its gradient is read there": sends(read_there),
    }
)
