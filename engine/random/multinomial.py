"""Choosing categories by weight: ``torch.multinomial``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.dtype_names import SCALAR_TYPE
from engine.random.continuous import exponential
from engine.random.element_types import Array, is_floating, wide
from engine.random.generator import Generator

if TYPE_CHECKING:  # importing torch should be quick
    from numpy.typing import NDArray


def multinomial(generator: Generator, weights: Array, count: int, replacement: bool = False) -> NDArray[np.int64]:
    """``count`` categories per row of ``weights`` (categories,) or (rows, categories), which need not add up to 1.

    With replacement: each draw inverts the running sum. Without, or for a single draw: a race of exponentials, the
    largest weight/exponential first.

    Raises:
        RuntimeError: a shape, count or weight that makes no distribution.
    """
    _check(weights, count, replacement)
    rows = np.atleast_2d(weights)
    if rows.shape[0] == 0:
        return np.zeros((0, count), np.int64)
    if replacement and count > 1:
        chosen = _with_replacement(generator, rows, count)
    else:
        chosen = _race(generator, rows, count)
    return chosen if weights.ndim == 2 else chosen[0]


def _with_replacement(generator: Generator, rows: Array, count: int) -> NDArray[np.int64]:
    computed = rows.astype(wide(rows.dtype))
    if not np.isfinite(computed).all():
        raise RuntimeError("invalid multinomial distribution (encountering probability entry = infinity or NaN)")
    if (computed < 0).any():
        raise RuntimeError("invalid multinomial distribution (encountering probability entry < 0)")
    running = np.add.accumulate(computed, axis=1)  # a plain running sum, as PyTorch's
    totals = running[:, -1:].copy()
    if not (totals > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    running = (running / totals).astype(rows.dtype).astype(np.float64)
    running[:, -1] = 1.0
    uniforms = generator.units_float64(rows.shape[0] * count).reshape(rows.shape[0], count)
    found = [np.searchsorted(sums, row, side="left") for sums, row in zip(running, uniforms, strict=True)]
    return np.stack(found).astype(np.int64)


def _race(generator: Generator, rows: Array, count: int) -> NDArray[np.int64]:
    if not (np.isfinite(rows.astype(np.float64)) & (rows >= 0)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (rows.astype(np.float64).sum(axis=1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    times = exponential(generator, rows.shape, rows.dtype)
    speeds = (rows / times).astype(rows.dtype).astype(np.float64)
    return np.argsort(-speeds, axis=1, kind="stable")[:, :count].astype(np.int64)


def _check(weights: Array, count: int, replacement: bool) -> None:
    if not is_floating(weights.dtype):
        name = SCALAR_TYPE[weights.dtype.name]
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {name}")
    if not 1 <= weights.ndim <= 2:
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
