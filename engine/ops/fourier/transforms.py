"""``torch.fft``'s transforms, composed of the three kernels as PyTorch composes them."""

from __future__ import annotations

from typing import Any

from engine.dtype_names import scalar_type
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite
from engine.ops.core.dimension import wrapped_of_some
from engine.ops.fourier.arguments import promoted, resized, scale_of, several
from engine.ops.fourier.kernels import fft_c2c, fft_c2r, fft_r2c
from engine.ops.pointwise.complex import conjugate_copy
from engine.tensor import Tensor


def along_one(input: Tensor, n: int | None, dim: int) -> tuple[Tensor, tuple[int, ...]]:
    """The numbers along one dimension, n of them, and that dimension.

    Raises:
        RuntimeError: n is below one.
    """
    axis = wrapped_of_some(dim, input.ndim)
    input = promoted(input, False)
    length = input.shape[axis] if n is None else n
    if length < 1:
        raise RuntimeError(f"Invalid number of data points ({length}) specified")
    return (input if n is None else resized(input, [axis], [n])), (axis,)


def transformed(input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    """Either direction, of real or complex numbers."""
    input, axes = along_one(input, n, dim)
    scale = scale_of(norm, forward)
    if input.dtype.is_complex:
        return fft_c2c(input, axes, scale, forward)
    spectrum = fft_r2c(input, axes, scale, False)
    return spectrum if forward else spectrum.conj()


@composite(at="fft")
def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """How much of each frequency is in the numbers along ``dim``."""
    return transformed(input, n, dim, norm, True)


@composite(at="fft")
def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The numbers that have these frequencies."""
    return transformed(input, n, dim, norm, False)


def require_real(name: str, input: Tensor, words: str = "a real input tensor") -> None:
    """Raises RuntimeError: complex numbers."""
    if input.dtype.is_complex:
        raise RuntimeError(f"{name} expects {words}, but got {scalar_type(input._array)}")


def halved(name: str, input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    """The half spectrum of a real signal."""
    require_real(name, input)
    input, axes = along_one(input, n, dim)
    spectrum = fft_r2c(input, axes, scale_of(norm, forward), True)
    return spectrum if forward else spectrum.conj()


@composite(at="fft")
def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The frequencies of a real signal, without those that mirror others: n // 2 + 1 of them."""
    return halved("rfft", input, n, dim, norm, True)


@composite(at="fft")
def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The signal (half of it, the rest mirrors it) that has these real frequencies."""
    return halved("ihfft", input, n, dim, norm, False)


def doubled(input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool) -> Tensor:
    """Real numbers from half of a mirrored signal.

    Raises:
        RuntimeError: no output at all.
    """
    axis = wrapped_of_some(dim, input.ndim)
    input = promoted(input, True)
    length = 2 * (input.shape[axis] - 1) if n is None else n
    if length < 1:
        raise RuntimeError(f"Invalid number of data points ({length}) specified")
    if n is not None:
        input = resized(input, [axis], [length // 2 + 1])
    input = input.conj() if forward else input
    return fft_c2r(input, (axis,), scale_of(norm, forward), length)


@composite(at="fft")
def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The real signal of length n (2·(m − 1) by default) that has this half spectrum."""
    return doubled(input, n, dim, norm, False)


@composite(at="fft")
def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The real frequencies of a signal given by half, which the other half mirrors."""
    return doubled(input, n, dim, norm, True)


def transformed_along(input: Tensor, s: Any, dim: Any, norm: str | None, forward: bool) -> Tensor:
    """A complex transform over several dimensions."""
    dims, lengths = several(input, s, dim)
    scale = scale_of(norm, forward)
    input = resized(promoted(input, True), dims, lengths)
    return fft_c2c(input, tuple(dims), scale, forward) if dims else input


@composite(at="fft")
def fftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The frequencies along several dimensions, or all."""
    return transformed_along(input, s, dim, norm, True)


@composite(at="fft")
def ifftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The numbers that have these frequencies along several dimensions."""
    return transformed_along(input, s, dim, norm, False)


@composite(at="fft")
def rfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The frequencies of a real signal along several dimensions; the last is halved.

    Raises:
        RuntimeError: complex numbers, or no dimension.
    """
    require_real("rfftn", input, "a real-valued input tensor")
    dims, lengths = several(input, s, dim)
    if not dims:
        raise RuntimeError("rfftn must transform at least one axis")
    input = resized(promoted(input, False), dims, lengths)
    return fft_r2c(input, tuple(dims), scale_of(norm, True), True)


def to_real(name: str, input: Tensor, s: Any, dim: Any) -> tuple[Tensor, list[int], int]:
    """A half spectrum of the wanted lengths, its dimensions, and how long the last is to become.

    Raises:
        RuntimeError: no dimension, or no output along the last.
    """
    dims, lengths = several(input, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    given = (s,) if isinstance(s, int) else s
    last = 2 * (input.shape[dims[-1]] - 1) if given is None or given[-1] == -1 else given[-1]
    if last < 1:
        raise RuntimeError(f"Invalid number of data points ({last}) specified")
    return resized(promoted(input, True), dims, [*lengths[:-1], last // 2 + 1]), dims, last


@composite(at="fft")
def irfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The real signal that has this half spectrum along several dimensions.

    Raises:
        RuntimeError: no dimension.
    """
    half, dims, last = to_real("irfftn", input, s, dim)
    return fft_c2r(half, tuple(dims), scale_of(norm, False), last)


@composite(at="fft")
def hfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The real frequencies of a mirrored signal along several dimensions.

    Raises:
        RuntimeError: no dimension.
    """
    half, dims, last = to_real("hfftn", input, s, dim)
    scale = scale_of(norm, True)
    if len(dims) > 1:
        half = fft_c2c(half, tuple(dims[:-1]), scale, True)
    return fft_c2r(half.conj(), (dims[-1],), scale, last)


@composite(at="fft")
def ihfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The mirrored signal that has these real frequencies along several dimensions.

    Raises:
        RuntimeError: complex numbers, or no dimension.
    """
    if input.dtype.is_complex:
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {scalar_type(input._array)}")
    dims, lengths = several(input, s, dim)
    if not dims:
        raise RuntimeError("ihfftn must transform at least one axis")
    scale = scale_of(norm, False)
    spectrum = fft_r2c(resized(promoted(input, False), dims, lengths), (dims[-1],), scale, True)
    if len(dims) == 1:
        return spectrum.conj()
    return fft_c2c(conjugate_copy(spectrum), tuple(dims[:-1]), scale, False)


def over_two(name: str) -> None:
    """Declares the form that takes the last two dimensions unless told otherwise."""
    general = TABLES["fft"][f"{name}n"]

    def call(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
        return general(input, s, dim, norm)

    call.__name__ = f"{name}2"
    call.__doc__ = f"``{name}n`` over the last two dimensions."
    composite(at="fft")(call)


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    over_two(_name)
