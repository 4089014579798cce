"""Padding: with a constant, or with what is already there (reflected, repeated, wrapped round)."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.core.handed_on import require_kind, require_whole_row
from engine.ops.neural.flat_slopes import zeros_for
from engine.ops.neural.whole_sizes import whole_sizes
from engine.tensor import Tensor


def pairs_of(padding: Any) -> list[tuple[int, int]]:
    """Pairs for the last dimensions in their order (PyTorch lists the last dimension first)."""
    values = list(padding)
    return [(values[i], values[i + 1]) for i in range(len(values) - 2, -1, -2)]


@operator(
    order="images",
    at="torch",
    formula="x with a margin",
    saves="pad",
    self=lambda grad, pad: constant_pad_nd(grad, [-p for p in pad], 0),
)
def constant_pad_nd(self: Any, pad: Any, value: Any = 0) -> Any:
    """Puts a margin of one value around (or, with negative numbers, cuts off); what is left of the input gets its
    gradient, the margin's is dropped.

    Raises:
        RuntimeError: not two margins per dimension, or margins that leave less than nothing.
    """
    if len(pad) % 2:
        raise RuntimeError("Length of pad must be even but instead it equals " + str(len(pad)))
    if len(pad) > 2 * self.ndim:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)} while the input has {self.ndim} dimensions."
        )
    pairs = [(0, 0)] * (self.ndim - len(pad) // 2) + pairs_of(pad)
    shape = tuple(n + a + b for n, (a, b) in zip(self.shape, pairs, strict=True))
    if any(n + min(a, 0) < 0 or n + min(a, 0) + min(b, 0) < 0 for n, (a, b) in zip(self.shape, pairs, strict=True)):
        raise RuntimeError("narrow(): length must be non-negative.")
    for d, n in enumerate(shape):
        if n < 0:
            a, b = pairs[d]
            raise RuntimeError(
                f"The input size {self.shape[d]}, plus negative padding {a} and {b} resulted in a negative output "
                f"size, which is invalid. Check dimension {d} of your input."
            )
    result = np.full(shape, value, self.dtype)
    source = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(self.shape, pairs, strict=True))
    target = tuple(slice(max(a, 0), n - max(b, 0)) for n, (a, b) in zip(shape, pairs, strict=True))
    result[target] = self[source]
    return result


def sources(mode: str, size: int, before: int, after: int) -> np.ndarray:
    """For each position of the padded dimension, the position it shows."""
    index = np.arange(-before, size + after)
    if mode == "reflect":
        period = max(2 * (size - 1), 1)
        index = np.abs(index) % period
        return np.minimum(index, period - index) if size > 1 else np.zeros_like(index)
    if mode == "replicate":
        return np.clip(index, 0, size - 1)
    return index % size


def shown(array: Any, padding: Any, mode: str) -> Any:
    """The array with its borders extended."""
    pairs = pairs_of(padding)
    lead = array.ndim - len(pairs)
    for d, (before, after) in enumerate(pairs):
        array = np.take(array, sources(mode, array.shape[lead + d], before, after), lead + d)
    return array


def gathered(grad: Any, shape: tuple[int, ...], padding: Any, mode: str) -> Any:
    """Each element's gradient, added up over all the places that show it."""
    pairs = pairs_of(padding)
    lead = len(shape) - len(pairs)
    for d, (before, after) in enumerate(pairs):
        moved = np.moveaxis(grad, lead + d, 0)
        total = np.zeros((shape[lead + d], *moved.shape[1:]), grad.dtype)
        np.add.at(total, sources(mode, shape[lead + d], before, after), moved)
        grad = np.moveaxis(total, 0, lead + d)
    return np.ascontiguousarray(grad)


def border_pad(kind: str, dims: int) -> Any:
    """Declares ``reflection_pad2d`` and kin with their gradient."""
    mode = {"reflection": "reflect", "replication": "replicate"}[kind]

    @operator(
        at="internal",
        name=f"{kind}_pad{dims}d_backward",
        grad_output=lambda grad, padding: forward(grad, padding),
        self=lambda self: zeros_for(self),
    )
    def back(grad_output: Any, self: Any, padding: Any) -> Any:
        """The derivative of the function that its name begins with, as an operation of its own."""
        return gathered(grad_output, self.shape, padding, mode)

    @operator(
        at="internal",
        name=f"{kind}_pad{dims}d",
        order="images",
        saves="padding self",
        formula="x with its border repeated",
        self=lambda grad, self, padding: back(grad, self, padding),
    )
    def forward(self: Any, padding: Any) -> Any:
        """Extends the borders with what is inside; an element shown twice gets both gradients."""
        check_border(self, padding, dims, mode)
        return shown(self, padding, mode)

    return forward


def check_border(array: Any, padding: Any, dims: int, mode: str) -> None:
    """Raises RuntimeError: a reflection wider than what is there, or nothing left."""
    if array.ndim not in (dims + 1, dims + 2) or not all(array.shape[1:]):
        names = {1: "2D or 3D", 2: "3D or 4D", 3: "4D or 5D"}[dims]
        raise RuntimeError(
            f"Expected {names} (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {list(array.shape)}"
        )
    # From the last dimension on, as PyTorch looks.
    for d, (before, after) in reversed([*enumerate(pairs_of(padding))]):
        axis = array.ndim - dims + d
        size = array.shape[axis]
        if mode == "reflect" and (before >= size or after >= size):
            raise RuntimeError(
                f"Argument #{4 + 2 * (dims - 1 - d)}: Padding size should be less than the corresponding input dimension, but got: "
                f"padding ({before}, {after}) at dimension {axis} of input {list(array.shape)}"
            )
        if size + before + after < 1:
            raise RuntimeError(f"input (size: {size}) is too small. Calculated output size: {size + before + after}")


BORDERS = {
    (mode, dims): border_pad(kind, dims)
    for kind, mode in (("reflection", "reflect"), ("replication", "replicate"))
    for dims in (1, 2, 3)
}


def pad_circular(input: Tensor, padding: Any) -> Tensor:
    """Wraps around, in PyTorch's steps: an empty tensor, its middle written, then slices copied across the borders.

    Raises:
        RuntimeError: a margin that goes around more than once, or leaves less than nothing.
    """
    spatial = len(padding) // 2
    pairs = pairs_of(padding)
    shape = [*input.shape[: input.ndim - spatial]]
    lead = input.ndim - spatial
    for d, (before, after) in enumerate(pairs):
        size = input.shape[lead + d]
        if before > size or after > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if size + before + after < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        shape.append(size + before + after)
    out = input.new_empty(shape)
    inner, source = out, input
    for d, (before, after) in reversed([*enumerate(pairs)]):
        axis = lead + d
        inner = inner.narrow(axis, max(before, 0), out.shape[axis] - max(after, 0) - max(before, 0))
        source = source.narrow(axis, max(-before, 0), input.shape[axis] - max(-after, 0) - max(-before, 0))
    inner.copy_(source)
    for d in range(spatial - 1, -1, -1):
        before, after = pairs[d]
        axis = lead + d
        length = out.shape[axis]
        if before > 0:
            out.narrow(axis, 0, before).copy_(out.narrow(axis, length - before - max(after, 0), before))
        if after > 0:
            out.narrow(axis, length - after, after).copy_(out.narrow(axis, max(before, 0), after))
    return out


@composite(at="functional")
def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Pads the last dimensions; ``pad`` lists (left, right) from the last dimension forward.

    Raises:
        NotImplementedError: a mode with that many dimensions.
        RuntimeError: lengths that do not go together, or a value where the mode takes none.
        TypeError: lengths that are no sequence.
    """
    require_whole_row(pad, "pad", "pad", 2)
    require_kind(mode, "str", "pad", "mode", 3)
    if value is not None:
        require_kind(value, "float", "pad", "value", 4)
    padding = whole_sizes(tuple(pad), 1, "pad", "pad", 2)
    if len(padding) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(padding) > 2 * input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(padding)} and input of dimension {input.ndim}"
        )
    if mode == "constant":
        return constant_pad_nd(input, padding, 0.0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    dims = len(padding) // 2
    if dims not in (1, 2, 3) or input.ndim not in (dims + 1, dims + 2):
        raise NotImplementedError(
            f"Padding size {len(padding)} is not supported for {input.ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if mode == "circular":
        return pad_circular(input, padding)
    return BORDERS[mode, dims](input, padding)
