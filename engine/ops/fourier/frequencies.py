"""Which frequencies a transform's entries stand for, and putting zero in the middle."""

from __future__ import annotations

from typing import Any

from engine import dtype as dtypes
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite
from engine.ops.reduction.dims import wrap_dims
from engine.tensor import Tensor


@composite(at="fft")
def fftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: Any = None, **options: Any) -> Tensor:
    """The frequencies of ``fft``'s entries for samples ``d`` apart: 0, 1, …, −2, −1 over n·d.

    Raises:
        RuntimeError: a dtype without fractions.
    """
    return table(n, list(range((n + 1) // 2)) + list(range(-(n // 2), 0)), d, "fftfreq", out, dtype, options)


@composite(at="fft")
def rfftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: Any = None, **options: Any) -> Tensor:
    """The frequencies of ``rfft``'s entries: 0, 1, …, n // 2 over n·d.

    Raises:
        RuntimeError: a dtype without fractions.
    """
    return table(n, list(range(n // 2 + 1)), d, "rfftfreq", out, dtype, options)


def table(
    n: int, steps: list[int], d: float, name: str, out: Tensor | None, dtype: Any, options: dict[str, Any]
) -> Tensor:
    """The steps divided by ``n·d``.

    Raises:
        RuntimeError: a dtype of whole numbers.
    """
    chosen = dtype or (dtypes.defaults.floating if out is None else out.dtype)
    if not (chosen.is_floating_point or chosen.is_complex):
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    made = TABLES["torch"]["tensor"]([s / (n * d) for s in steps], dtype=chosen, **options)
    return made if out is None else out.resize_(made.shape).copy_(made)


@composite(at="fft")
def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Rolls every dimension (or those given) so that frequency zero comes to the middle."""
    axes = wrap_dims(dim, input.ndim)
    return input.roll([input.shape[a] // 2 for a in axes], list(axes))


@composite(at="fft")
def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Undoes ``fftshift``."""
    axes = wrap_dims(dim, input.ndim)
    return input.roll([(input.shape[a] + 1) // 2 for a in axes], list(axes))
