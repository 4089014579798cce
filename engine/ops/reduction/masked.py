"""``torch.masked``: reductions and normalisations that look only where a mask is set.

As in PyTorch they are compositions: what the mask hides is replaced by the value that changes nothing (`neutral`), and
the ordinary operator does the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite
from engine.ops.core.dimension import wrapped_all
from engine.ops.pointwise.exponential import logaddexp as add_logarithms
from engine.ops.pointwise.larger_smaller import maximum
from engine.ops.reduction.extremes import amax as largest
from engine.ops.reduction.extremes import amin as smallest
from engine.ops.reduction.norms import vector_norm
from engine.ops.reduction.order_statistics import nanmedian
from engine.ops.selection.masks import where
from engine.tensor import Tensor, wrap

SMALL_WHOLE = (dtypes.uint8, dtypes.bool_, dtypes.int8, dtypes.int16, dtypes.int32)


def neutral(self: Tensor, value: float) -> Tensor:
    """0, 1, nan or an infinity as a 0-d tensor of the input's dtype; the extreme number, where there is no infinity."""
    kind = self._array.dtype
    if math.isinf(value) and self.dtype.category < dtypes.FLOAT:
        limits = np.iinfo(kind)
        return wrap(kind.type(limits.max if value > 0 else limits.min))
    return wrap(np.asarray(value).astype(kind)[()])


def fitted_mask(self: Tensor, mask: Tensor) -> Tensor:
    """The mask as booleans in the input's shape.

    Raises:
        IndexError: it has more dimensions than the input.
    """
    if mask.shape != self.shape:
        if mask.ndim > self.ndim:
            raise IndexError(
                "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"
            )
        mask = mask.clone().expand(self.shape)
    return mask.to(dtypes.bool_)


def shown(self: Tensor, mask: Tensor | None, hidden: float) -> Tensor:
    """The input with ``hidden`` where the mask is not set."""
    return self if mask is None else where(fitted_mask(self, mask), self, neutral(self, hidden))


def dims_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions in order; all for None and for ()."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    return tuple(sorted(wrapped_all(dim, ndim)))


def sum_type(self: Tensor, dtype: dtypes.dtype | None) -> dtypes.dtype:
    """Small whole numbers add up in int64."""
    return dtype if dtype is not None else dtypes.int64 if self.dtype in SMALL_WHOLE else self.dtype


@composite(at="masked", name="sum")
def masked_sum(
    input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Adds up what the mask shows."""
    return shown(input, mask, 0).sum(dims_of(dim, input.ndim), bool(keepdim), dtype=sum_type(input, dtype))


@composite(at="masked", name="prod")
def masked_prod(
    input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Multiplies up what the mask shows, one dimension after the other."""
    result = shown(input, mask, 1).to(sum_type(input, dtype))
    for d in reversed(dims_of(dim, input.ndim)):
        result = result.prod(dim=d, keepdim=bool(keepdim))
    return result


def running(name: str, hidden: float, explanation: str) -> None:
    """Declares a running sum or product."""

    def call(input: Tensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
        kind = input.dtype if dtype is None else dtype
        made = getattr(shown(input, mask, hidden), name)(dims_of(dim, input.ndim)[0], dtype=kind)
        return made.to(kind)

    call.__doc__ = explanation
    composite(at="masked", name=name)(call)


def extreme(name: str, reduce: Callable[..., Any], hidden: float, explanation: str) -> None:
    """Declares the largest or smallest along dimensions."""

    def call(
        input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
    ) -> Tensor:
        found = reduce(shown(input, mask, hidden), dims_of(dim, input.ndim), bool(keepdim))
        return found.to(input.dtype if dtype is None else dtype)

    call.__doc__ = explanation
    composite(at="masked", name=name)(call)


def place(name: str, hidden: float, explanation: str) -> None:
    """Declares where the largest or smallest stands."""

    def call(
        input: Tensor, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
    ) -> Tensor:
        found = getattr(shown(input, mask, hidden), name)(dim, bool(keepdim))
        return found.to(input.dtype if dtype is None else dtype)

    call.__doc__ = explanation
    composite(at="masked", name=name)(call)


def shares(name: str, hidden: float, explanation: str) -> None:
    """Declares a softmax or one of its kin."""

    def call(input: Tensor, dim: int, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
        kind = input.dtype if dtype is None else dtype
        return TABLES["functional"][name](shown(input, mask, hidden), dims_of(dim, input.ndim)[0], dtype=kind)

    call.__doc__ = explanation
    composite(at="masked", name=name)(call)


running("cumsum", 0, "The running sum of what the mask shows.")
running("cumprod", 1, "The running product of what the mask shows.")
extreme("amax", largest, -math.inf, "The largest of what the mask shows.")
extreme("amin", smallest, math.inf, "The smallest of what the mask shows.")
place("argmax", -math.inf, "Where the largest of what the mask shows stands.")
place("argmin", math.inf, "Where the smallest of what the mask shows stands.")
shares("softmax", -math.inf, "Softmax over what the mask shows.")
shares("log_softmax", -math.inf, "The logarithm of softmax over what the mask shows.")
shares("softmin", math.inf, "Softmin over what the mask shows.")


def counted(self: Tensor, dim: Any, keepdim: bool, mask: Tensor | None) -> Tensor:
    """How many elements the mask shows."""
    if mask is None:
        ones = wrap(np.ones(self._array.shape, np.int64))
        return masked_sum(ones, dim, keepdim=keepdim)
    return mask.sum(dim=dim, keepdim=bool(keepdim))


@composite(at="masked", name="mean")
def masked_mean(
    input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The average of what the mask shows.

    Raises:
        ValueError: for whole numbers.
    """
    kind = input.dtype if dtype is None else dtype
    if kind.category < dtypes.FLOAT:
        source = "Input" if dtype is None else "Optional"
        raise ValueError(
            f"mean(): Could not infer output dtype. {source} dtype must be either a floating point or complex dtype. "
            f"Got: {kind}"
        )
    inside = None if mask is None else fitted_mask(input, mask)
    total = masked_sum(input, dim, keepdim=keepdim, dtype=kind, mask=inside)
    return total / counted(input, dim, keepdim, inside)


@composite(at="masked", name="median")
def masked_median(
    input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The middle of what the mask shows.

    Raises:
        ValueError: whole numbers, all of them hidden.
    """
    kind = input.dtype if dtype is None else dtype
    real = input if input.dtype.is_floating_point else input.to(dtypes.float32)
    found = nanmedian(shown(real, mask, math.nan), dims_of(dim, input.ndim)[0], keepdim)[0]
    if input.dtype.is_floating_point:
        return found
    if bool(found.isnan().any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return found.to(kind)


@composite(at="masked", name="logsumexp")
def masked_logsumexp(
    input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The logarithm of the sum of exponentials of what the mask shows."""
    found = shown(input, mask, -math.inf).logsumexp(dims_of(dim, input.ndim), keepdim=keepdim)
    return found.to(input.dtype if dtype is None else dtype)


@composite(at="masked", name="logaddexp")
def masked_logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: Any = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """Adds what two logarithms stand for, each under a mask of its own."""
    found = add_logarithms(shown(input, input_mask, -math.inf), shown(other, other_mask, -math.inf))
    return found.to(input.dtype if dtype is None else dtype)


@composite(at="masked", name="norm")
def masked_norm(
    input: Tensor,
    ord: Any = 2.0,
    dim: Any = None,
    *,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The length of what the mask shows."""
    hidden = shown(input, mask, math.inf if ord == -math.inf else 0)
    return vector_norm(
        hidden, ord, dims_of(dim, input.ndim), bool(keepdim), dtype=input.dtype if dtype is None else dtype
    )


@composite(at="masked", name="normalize")
def masked_normalize(
    input: Tensor, ord: Any, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """What the mask shows, divided by its length."""
    length = masked_norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return shown(input, mask, 0) / maximum(length, wrap(length._array.dtype.type(eps)))


def spread(
    input: Tensor, dim: Any, unbiased: bool | None, correction: Any, keepdim: bool, dtype: Any, mask: Tensor | None
) -> Tensor:
    """The variance of what the mask shows."""
    taken_off = float(correction) if correction is not None else 1.0 if unbiased is None else float(unbiased)
    kind = dtype if dtype is not None else dtypes.float32 if input.dtype.category < dtypes.FLOAT else input.dtype
    inside = None if mask is None else fitted_mask(input, mask)
    count = counted(input, dim, True, inside)
    centred = input - masked_sum(input, dim, keepdim=True, dtype=kind, mask=inside) / count
    total = masked_sum(centred * centred.conj(), dim, keepdim=keepdim, dtype=kind, mask=inside)
    if not keepdim:
        count = count.reshape(total.shape)
    if taken_off:
        count = count.to(kind.to_real()) - taken_off
        count = maximum(count, wrap(count._array.dtype.type(0)))
    return (total / count).to(kind)


@composite(at="masked", name="var")
def masked_var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, *, correction: Any = None, keepdim: bool = False,
    dtype: Any = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The variance of what the mask shows."""
    return spread(input, dim, unbiased, correction, keepdim, dtype, mask)


@composite(at="masked", name="std")
def masked_std(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, *, correction: Any = None, keepdim: bool = False,
    dtype: Any = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The standard deviation of what the mask shows."""
    return spread(input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()
