"""Packed sequences: all steps of a batch one after the other, without padding."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.tensor import Tensor


def places(lengths: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(step, sample) of each packed row, and the batch size of each step; lengths are sorted, longest first."""
    steps = np.arange(int(lengths.max()))
    inside = steps[:, None] < np.asarray(lengths)[None, :]
    step, sample = np.nonzero(inside)
    return step, sample, inside.sum(1)


@operator(
    at="internal",
    name="_pack_padded_sequence",
    formula="x without padding",
    outputs="result0 result1",
    nondifferentiable=(1,),
    undefined_gradients=True,
    saves="batch_first input_sym_sizes result1",
    input=lambda grads, input_sym_sizes, result1, batch_first: packed_back(
        grads[0], tuple(input_sym_sizes), result1, batch_first
    ),
)
def pack_padded_sequence(input: Any, lengths: Any, batch_first: bool) -> Any:
    """Lines up the first steps of all sequences, then the second ones, and so on; padding is dropped and gets zero
    gradient.

    Raises:
        RuntimeError: lengths that are not positive, not sorted, or not one per sequence.
    """
    batch = input.shape[0 if batch_first else 1]
    if lengths.size != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {lengths.size} (batch_size={batch})"
        )
    if lengths.min() <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if np.any(np.diff(lengths) > 0):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    time_first = input.swapaxes(0, 1) if batch_first else input
    step, sample, sizes = places(lengths)
    there = step < len(time_first)  # PyTorch believes lengths beyond the end, and packs what there is
    return time_first[step[there], sample[there]], sizes.astype(np.int64)


def lengths_of(batch_sizes: Any) -> np.ndarray:
    """How many steps each sample has."""
    return (np.asarray(batch_sizes)[:, None] > np.arange(int(batch_sizes[0]))[None, :]).sum(0)


@operator(at="internal", name="_pack_padded_sequence_backward")
def packed_back(grad: Any, shape: Any, batch_sizes: Any, batch_first: bool) -> Any:
    """Each row's gradient back at its step and sample; zero at the padding."""
    step, sample, _ = places(lengths_of(batch_sizes))
    full = np.zeros(shape, grad.dtype)
    (full.swapaxes(0, 1) if batch_first else full)[step, sample] = grad
    return full


@composite(at="internal")
def _pad_packed_sequence(
    data: Tensor, batch_sizes: Tensor, batch_first: bool, padding_value: float, total_length: int
) -> tuple[Tensor, Tensor]:
    """(T, B, …) with padding, and the lengths; composed of slices written into a filled tensor, as PyTorch does."""
    sizes = [int(n) for n in batch_sizes.tolist()]
    torch = TABLES["torch"]
    output = torch["full"]((total_length, sizes[0], *data.shape[1:]), padding_value, dtype=data.dtype)
    lengths = lengths_of(batch_sizes._array)
    offset = start = 0
    for step in range(len(sizes)):
        if step + 1 < len(sizes) and sizes[step + 1] == sizes[step]:
            continue
        size, steps = sizes[step], step + 1 - start
        block = data.narrow(0, offset, size * steps).view(steps, size, *data.shape[1:])
        output.narrow(0, start, steps).narrow(1, 0, size).copy_(block)
        offset, start = offset + size * steps, step + 1
    return output.transpose(0, 1) if batch_first else output, torch["tensor"](lengths.tolist())


def sliced(hidden: Any, begin: int, end: int) -> Any:
    """Some samples of a hidden state."""
    if isinstance(hidden, tuple):
        return tuple(h.narrow(0, begin, end - begin) for h in hidden)
    return hidden.narrow(0, begin, end - begin)


def joined(parts: list[Any]) -> Any:
    """Hidden states of different samples, put together."""
    return parts[0] if len(parts) == 1 else together(parts)


def together(parts: list[Any]) -> Any:
    """The same, with a node of its own even for a single part."""
    cat = TABLES["torch"]["cat"]
    if isinstance(parts[0], tuple):
        return tuple(cat([part[i] for part in parts], 0) for i in range(len(parts[0])))
    return cat(parts, 0)


def packed_layer(cell: Any, data: Tensor, batch_sizes: Tensor, hidden: Any, backwards: bool) -> tuple[Tensor, Any]:
    """All steps of one layer in one direction over packed rows: rows out, last hidden state of every sample."""
    sizes = [int(n) for n in batch_sizes.tolist()]
    return (run_backwards if backwards else run_forwards)(cell, cell.inputs(data), sizes, hidden)


def run_forwards(cell: Any, rows: Tensor, sizes: list[int], hidden: Any) -> tuple[Tensor, Any]:
    """From the first step on: fewer and fewer samples go on, and those that end keep their last hidden state."""
    outputs: list[Tensor] = []
    finished: list[Any] = []
    offset, last = 0, sizes[0]
    for size in sizes:
        part = rows.narrow(0, offset, size)
        offset += size
        if size < last:
            finished.append(sliced(hidden, size, last))
            hidden = sliced(hidden, 0, size)
        last = size
        hidden = cell.step(part, hidden)
        outputs.append(cell.output(hidden))
    finished.append(hidden)
    return TABLES["torch"]["cat"](outputs, 0), together(finished[::-1])


def run_backwards(cell: Any, rows: Tensor, sizes: list[int], start: Any) -> tuple[Tensor, Any]:
    """From the last step on: more and more samples take part, each from its part of the ``start``."""
    outputs: list[Tensor] = []
    offset, last = sum(sizes), sizes[-1]
    hidden = sliced(start, 0, last)
    for size in reversed(sizes):
        if size > last:
            hidden = joined([hidden, sliced(start, last, size)])
        last = size
        offset -= size
        hidden = cell.step(rows.narrow(0, offset, size), hidden)
        outputs.append(cell.output(hidden))
    return TABLES["torch"]["cat"](outputs[::-1], 0), hidden
