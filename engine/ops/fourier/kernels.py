"""The three transforms that have a node of their own: real to complex, complex to real, complex to complex."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.late import Late
from engine.ops.core.declare import operator
from engine.tensor import Tensor

transforms: Any = Late("scipy.fft")

NONE, ROOT, WHOLE = 0, 1, 2
"""How PyTorch numbers a transform's scale: 1, 1/√n, 1/n."""


def scaled(array: Any, normalization: int, count: int) -> Any:
    """The unscaled transform of ``count`` points with its factor."""
    return array if normalization == NONE else array / (math.sqrt(count) if normalization == ROOT else count)


def points(shape: Any, dim: Any) -> int:
    """How many numbers go into one of the transform's."""
    return math.prod(shape[d] for d in dim)


def laid_out(result: Any, source: Any, dim: Any, last_inside: bool) -> Any:
    """The result in PyTorch's order in memory: what was transformed lies innermost, each group as the source had it.

    ``last_inside``: the halved dimension is innermost of all.
    """
    stepped = sorted(
        range(source.ndim), key=lambda d: -abs(source.strides[d]) if source.shape[d] != 1 else -source.strides[d]
    )
    inner = [d for d in stepped if d in dim and not (last_inside and d == dim[-1])]
    order = [*(d for d in stepped if d not in dim), *inner, *([dim[-1]] if last_inside else [])]
    back = [0] * len(order)
    for place, d in enumerate(order):
        back[d] = place
    return np.ascontiguousarray(result.transpose(order)).transpose(back)


def forwards(array: Any, dim: Any) -> Any:
    """The unscaled forward transform in the array's own precision: rounded as often as PyTorch's, it mostly gives the same numbers."""
    return transforms.fftn(array, axes=dim)


def backwards(array: Any, dim: Any) -> Any:
    """The unscaled backward transform in the array's own precision."""
    return transforms.ifftn(array, axes=dim, norm="forward")


def mirrored(half: Any, dim: Any, length: int) -> Any:
    """The whole spectrum of a real signal: the other half is the conjugate of the first, run through backwards."""
    back = half
    for d in dim[:-1]:
        back = np.take(back, -np.arange(half.shape[d]), d)
    back = np.take(back, length - np.arange(half.shape[dim[-1]], length), dim[-1])
    return np.concatenate([half, back.conj()], dim[-1])


def single_at_least(array: Any) -> Any:
    """Half precision, and whole numbers, as float32."""
    return array if array.dtype.kind in "fc" and array.dtype.itemsize > 2 else array.astype(np.float32)


def r2c_backward(grad: Tensor, dim: Any, normalization: int, onesided: bool, last: int) -> Tensor:
    """The transform back, of the half spectrum padded with zeros; the real part belongs to the real input."""
    if onesided:
        missing = last - grad.shape[dim[-1]]
        if missing:
            shape = list(grad.shape)
            shape[dim[-1]] = last
            whole = grad.new_zeros(shape)
            whole.narrow(dim[-1], 0, grad.shape[dim[-1]]).copy_(grad)
            grad = whole
    return fft_c2c(grad, dim, normalization, False).real


@operator(
    formula="Σ xₙ·e^(−2πi·kn/N)",
    at="internal",
    name="_fft_r2c",
    saves="dim normalization onesided self",
    self=lambda grad, self, dim, normalization, onesided: r2c_backward(
        grad, dim, normalization, onesided, self.shape[dim[-1]]
    ),
)
def fft_r2c(self: Any, dim: Any, normalization: int, onesided: bool) -> Any:
    """How much of each frequency is in a real signal; half of the spectrum tells all, the rest mirrors it."""
    target = dtypes.BY_ARRAY[self.dtype].to_complex().array
    array = single_at_least(self)
    half = transforms.rfftn(array, axes=dim)
    result = half if onesided else mirrored(half, dim, self.shape[dim[-1]])
    return laid_out(scaled(result, normalization, points(self.shape, dim)).astype(target), self, dim, True)


def c2r_backward(grad: Tensor, dim: Any, normalization: int) -> Tensor:
    """The transform of the gradient; frequencies that count twice (all but the first and, if even, the last) get it
    twice.
    """
    last = dim[-1]
    spectrum = fft_r2c(grad, dim, normalization, True)
    double = spectrum.shape[last] - (1 if grad.shape[last] % 2 else 2)
    if double <= 0:
        return spectrum
    spectrum.narrow(last, 1, double).mul_(2)
    return spectrum


@operator(
    formula="Re Σ yₖ·e^(2πi·kn/N)",
    at="internal",
    name="_fft_c2r",
    saves="dim normalization",
    self=lambda grad, dim, normalization: c2r_backward(grad, dim, normalization),
)
def fft_c2r(self: Any, dim: Any, normalization: int, last_dim_size: int) -> Any:
    """The real signal that has this half spectrum; the gradient takes the way back."""
    real = dtypes.BY_ARRAY[self.dtype].to_real().array
    shape = list(self.shape)
    shape[dim[-1]] = last_dim_size
    array = self
    if len(dim) > 1:
        array = backwards(array, dim[:-1])
    result = transforms.irfft(array, last_dim_size, axis=dim[-1], norm="forward")
    return laid_out(scaled(result, normalization, points(shape, dim)).astype(real), self, dim, True)


@operator(
    formula="Σ xₙ·e^(∓2πi·kn/N)",
    at="internal",
    name="_fft_c2c",
    saves="dim forward normalization",
    self=lambda grad, dim, normalization, forward: fft_c2c(grad, dim, normalization, not forward),
)
def fft_c2c(self: Any, dim: Any, normalization: int, forward: bool) -> Any:
    """How much of each frequency is in a signal (or back); the gradient takes the way back."""
    result = forwards(self, dim) if forward else backwards(self, dim)
    return laid_out(scaled(result, normalization, points(self.shape, dim)).astype(self.dtype), self, dim, False)
