"""Layer and group normalisation of float32, rounded as PyTorch's AVX2 kernels round.

Mean and variance follow Welford's updates (Chan, Golub and LeVeque 1983 for merging): eight lanes side by side, in chunks of 16
vectors that meet in a cascade; what fills no vector is taken number by number, and the lanes join it one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.pointwise.precision import fused
from engine.ops.reduction.softmax import products_summed
from engine.summation import LANES, lanes_summed

f = np.float32
LANE_COUNT = LANES["f4"]
CHUNK = 16
"""Vectors whose moments are updated one by one before they are merged."""
LONGEST, MANY = 1024, 1 << 13
"""Numbers in a row, and in all of them, from which on following the kernel takes longer than its last digit is worth."""
Moments = tuple[int, Any, Any]
"""A count, the mean and the sum of squared distances from it."""


def takes_rounding(rows: Any) -> bool:
    """Whether (rows, count) are float32, and few enough."""
    return rows.dtype == f and 0 < rows.shape[1] <= LONGEST and 0 < rows.size <= MANY


def merged(more: Moments, here: Moments) -> Moments:
    """The moments of two sets of numbers together."""
    count = more[0] + here[0]
    part = f(more[0]) / f(count) if count else f(0)
    apart = more[1] - here[1]
    return count, fused(part, apart, here[1]), here[2] + fused(apart * apart * part, f(here[0]), more[2])


def vectors_merged(more: Moments, here: Moments) -> Moments:
    """The same for whole vectors, whose compiler chose other places for fusing."""
    count = more[0] + here[0]
    part = f(more[0]) / f(count) if count else f(0)
    apart = more[1] - here[1]
    return count, here[1] + part * apart, fused(apart * apart, part * f(here[0]), here[2] + more[2])


def chunk_moments(vectors: Any) -> Moments:
    """The moments in each lane of (rows, vectors, lanes), one vector after the other."""
    mean, squares = np.zeros_like(vectors[:, 0]), np.zeros_like(vectors[:, 0])
    for place in range(vectors.shape[1]):
        distance = vectors[:, place] - mean
        mean = fused(distance, f(1) / f(place + 1), mean)
        squares = fused(distance, vectors[:, place] - mean, squares)
    return vectors.shape[1], mean, squares


def moments_of_rows(rows: Any) -> tuple[Any, Any]:
    """Mean and biased variance of each row of (rows, count)."""
    length = rows.shape[1]
    whole = length - length % LANE_COUNT
    vectors = rows[:, :whole].reshape(len(rows), -1, LANE_COUNT)
    chunks = -(-vectors.shape[1] // CHUNK)
    nothing: Moments = 0, np.zeros((len(rows), LANE_COUNT), f), np.zeros((len(rows), LANE_COUNT), f)
    levels = [nothing] * max((chunks - 1).bit_length(), 1)
    for number in range(chunks):
        levels[0] = vectors_merged(chunk_moments(vectors[:, number * CHUNK : (number + 1) * CHUNK]), levels[0])
        place, done = 1, number + 1
        while place < len(levels) and not done & 1:
            levels[place], levels[place - 1] = vectors_merged(levels[place - 1], levels[place]), nothing
            place, done = place + 1, done >> 1
    for level in levels[1:]:
        levels[0] = vectors_merged(level, levels[0])
    total: Moments = 0, np.zeros(len(rows), f), np.zeros(len(rows), f)
    for place in range(whole, length):
        distance = rows[:, place] - total[1]
        mean = total[1] + distance / f(place - whole + 1)
        total = place - whole + 1, mean, total[2] + distance * (rows[:, place] - mean)
    for lane in range(LANE_COUNT):
        total = merged((vectors.shape[1], levels[0][1][:, lane], levels[0][2][:, lane]), total)
    return total[1], total[2] / f(length)


def layer_norm_rounded(rows: Any, weight: Any, bias: Any, eps: float) -> tuple[Any, Any, Any]:
    """(rows, count) normalised, each row's mean and its 1/√(variance + ε)."""
    mean, var = moments_of_rows(rows)
    inverse_std = f(1) / np.sqrt(var + f(eps))
    result = (rows - mean[:, None]) * inverse_std[:, None]
    if weight is not None or bias is not None:
        result = fused(result, f(1) if weight is None else weight, np.zeros_like(rows) if bias is None else bias)
    return result, mean, inverse_std


def layer_norm_slopes_rounded(
    grad: Any, rows: Any, weight: Any, mean: Any, inverse_std: Any, needs: list[bool]
) -> list[Any]:
    """Gradients of the rows, the weight and the bias, from those of the result."""
    share = f(1) / f(rows.shape[1])
    for_rows = for_weight = for_bias = None
    if needs[0]:
        if weight is None:
            along, total = products_summed(grad, rows), lanes_summed(grad)
        else:
            weights = np.broadcast_to(weight, rows.shape)
            along, total = products_summed(grad * rows, weights), products_summed(grad, weights)
        along, total = along.reshape(-1), total.reshape(-1)
        slope = fused(total, mean, -along) * inverse_std * inverse_std * inverse_std * share
        shift = fused(-slope, mean, -(total * inverse_std * share))
        scaled = inverse_std[:, None] * grad if weight is None else inverse_std[:, None] * grad * weight
        for_rows = fused(slope[:, None], rows, scaled) + shift[:, None]
    if needs[1]:
        for_weight = np.zeros(rows.shape[1], f)
        for row, incoming, middle, factor in zip(rows, grad, mean, inverse_std, strict=True):
            for_weight = fused(incoming, fused(factor, row, -factor * middle), for_weight)
    if needs[2]:
        for_bias = np.add.accumulate(grad)[-1]
    return [for_rows, for_weight, for_bias]


def group_norm_rounded(rows: Any, weight: Any, bias: Any, eps: float) -> tuple[Any, Any, Any]:
    """(samples · groups, channels of a group, places) normalised; weight and bias are (groups, channels of a group)."""
    mean, var = moments_of_rows(rows.reshape(len(rows), -1))
    inverse_std = (1 / np.sqrt(var.astype(np.float64) + eps)).astype(f)
    if weight is None and bias is None:
        return (rows - mean[:, None, None]) * inverse_std[:, None, None], mean, inverse_std
    channels = rows.shape[:2]
    scale = inverse_std[:, None] * (f(1) if weight is None else repeated(weight, channels))
    scale = np.broadcast_to(scale, channels)
    start = np.zeros(channels, f) if bias is None else repeated(bias, channels)
    shift = fused(-scale, mean[:, None], start)
    return fused(scale[..., None], rows, shift[..., None]), mean, inverse_std


def group_norm_slopes_rounded(
    grad: Any, rows: Any, weight: Any, mean: Any, inverse_std: Any, groups: int, needs: list[bool]
) -> list[Any]:
    """Gradients of the rows (as in `group_norm_rounded`), and of weight and bias, from those of the result."""
    channels, places = rows.shape[:2], rows.shape[2]
    along = lanes_summed((grad * rows).reshape(-1, places)).reshape(channels)
    total = lanes_summed(grad.reshape(-1, places)).reshape(channels)
    for_rows = for_weight = for_bias = None
    if needs[0]:
        factors = np.ones(channels, f) if weight is None else repeated(weight, channels)
        pulled, pushed = weighted(along, factors), weighted(total, factors)
        share = f(1) / f(channels[1] * places)
        slope = fused(pushed, mean, -pulled) * inverse_std * inverse_std * inverse_std * share
        shift = fused(-(pushed * inverse_std), share, -slope * mean)
        scaled = (inverse_std[:, None] * factors)[..., None]
        for_rows = fused(scaled, grad, slope[:, None, None] * rows) + shift[:, None, None]
    by_group = (-1, groups, channels[1])
    along, total = along.reshape(by_group), total.reshape(by_group)
    if needs[1]:
        for_weight = np.zeros(by_group[1:], f)
        for pull, push, middle, factor in zip(
            along, total, mean.reshape(-1, groups, 1), inverse_std.reshape(-1, groups, 1), strict=True
        ):
            for_weight = fused(fused(-push, middle, pull), factor, for_weight)
    if needs[2]:
        for_bias = np.add.accumulate(total)[-1]
    return [for_rows, for_weight, for_bias]


def repeated(parameter: Any, channels: tuple[int, int]) -> Any:
    """(groups, channels of a group), once for every sample."""
    return np.tile(parameter.reshape(-1, channels[1]), (channels[0] * channels[1] // parameter.size, 1))


def weighted(values: Any, factors: Any) -> Any:
    """``Σ values · factors`` of each row, all fused: whole vectors lane by lane, then the lanes in turn, then the rest."""
    length = values.shape[1]
    whole = length - length % LANE_COUNT
    lanes, total = np.zeros((len(values), LANE_COUNT), f), np.zeros(len(values), f)
    for start in range(0, whole, LANE_COUNT):
        vector = slice(start, start + LANE_COUNT)
        lanes = fused(values[:, vector], factors[:, vector], lanes)
    for lane in range(LANE_COUNT if whole else 0):
        total = total + lanes[:, lane]
    for place in range(whole, length):
        total = fused(values[:, place], factors[:, place], total)
    return total
