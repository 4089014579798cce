"""The array of a meta tensor: it has a form, and nobody may read it.

It is a numpy array, so that views of it are numpy's own and know their strides and offsets. Up to `HELD` bytes it has memory (ones, or
an identity, which every kernel can take); a larger one repeats a single number, and says the strides of a row-major array.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.ops.core.geometry import contiguous_strides
from engine.placement import NO_COPY

HELD = 1 << 20
"""Most bytes of memory that one array takes."""
NO_ITEM = "Tensor.item() cannot be called on meta tensors"
NO_NONZERO = (
    "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct data-independent implementation does "
    "not exist. How many elements are not zero cannot be told from a shape."
)
WHOLE = SimpleNamespace(c_contiguous=True, f_contiguous=False, forc=True, writeable=True, owndata=True)
"""What a large array says of its memory."""


class MetaArray(np.ndarray):
    """Shape, dtype and strides. Reading an element, or computing with it outside of an operator, is refused."""

    @property
    def is_large(self) -> bool:
        """Whether all its elements share one place."""
        return self.size * self.itemsize > HELD and not any(np.ndarray.strides.__get__(self))

    @property  # type: ignore[misc]  # nobody sets them
    def strides(self) -> tuple[int, ...]:
        """Bytes to skip per dimension."""
        if self.is_large:
            return tuple(step * self.itemsize for step in contiguous_strides(self.shape))
        own: tuple[int, ...] = np.ndarray.strides.__get__(self)
        return own

    @property
    def flags(self) -> Any:
        """How its elements lie."""
        return WHOLE if self.is_large else np.ndarray.flags.__get__(self)

    def __setitem__(self, index: Any, value: Any) -> None:
        """There is nothing to write to."""

    def copy(self, order: Any = "K") -> MetaArray:
        """Another array of this form."""
        return meta_array(self.shape, self.dtype, None if order == "C" else self.strides)

    def astype(self, dtype: Any, **options: Any) -> MetaArray:  # type: ignore[override]  # no values, no casting rules
        """The same form in another dtype."""
        return meta_array(self.shape, np.dtype(dtype), None, self.strides)

    def item(self, *index: Any) -> Any:
        """Raises RuntimeError: always."""
        raise RuntimeError(NO_ITEM)

    def __bool__(self) -> bool:
        raise RuntimeError(NO_ITEM)

    def tolist(self) -> Any:
        """Raises NotImplementedError: always."""
        raise NotImplementedError(NO_COPY)

    def any(self, *args: Any, **options: Any) -> Any:
        """Raises RuntimeError: always."""
        raise RuntimeError(NO_ITEM)

    all = any

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(without_kernel(ufunc.__name__))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in ABOUT_FORM:
            return super().__array_function__(function, types, args, kwargs)
        if function in COUNTING:
            raise NotImplementedError(NO_NONZERO)
        raise NotImplementedError(without_kernel(function.__name__))


ABOUT_FORM = frozenset(
    (np.may_share_memory, np.shape, np.ndim, np.size, np.transpose, np.broadcast_to, np.iscomplexobj, np.result_type, np.can_cast)
)  # fmt: skip
"""What numpy answers without looking at elements."""
COUNTING = frozenset((np.nonzero, np.argwhere, np.flatnonzero, np.count_nonzero))
"""What needs to know where zeros are."""


def without_kernel(name: str) -> str:
    """PyTorch's words for a function of values, not of shapes."""
    return (
        f"aten::{name}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered. "
        "Its result depends on values, and a meta tensor has none."
    )


def meta_array(
    shape: Sequence[int], dtype: np.dtype[Any], strides: Sequence[int] | None = None, like: Sequence[int] | None = None
) -> MetaArray:
    """A new array.

    Args:
        shape, dtype: its form.
        strides: bytes to skip per dimension; in row order if none are given, and for large arrays.
        like: strides of an array of another dtype, whose order of dimensions is kept.
    """
    if not modes.meta_met:
        modes.meta_met = True
        modes.refresh()
    count = math.prod(shape)
    if count * dtype.itemsize > HELD:
        return np.ndarray.__new__(MetaArray, tuple(shape), dtype, np.ones(1, dtype), 0, (0,) * len(shape))
    if strides is not None and all(strides):
        reach = (
            1 + sum((n - 1) * step // dtype.itemsize for n, step in zip(shape, strides, strict=True)) if count else 0
        )
        return np.ndarray.__new__(MetaArray, tuple(shape), dtype, filled((reach,), dtype), 0, tuple(strides))
    order = range(len(shape)) if like is None else sorted(range(len(shape)), key=lambda axis: -like[axis])
    return filled([shape[axis] for axis in order], dtype).transpose(np.argsort(order)).view(MetaArray)


def filled(shape: Sequence[int], dtype: np.dtype[Any]) -> np.ndarray:
    """Numbers with which any kernel can go on: identities (which are definite and can be inverted), ones, or zeros for indices."""
    if dtype.kind in "iub":
        return np.zeros(shape, dtype)
    made = np.ones(shape, dtype)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        made[...] = np.eye(shape[-1], dtype=np.float32).astype(dtype)
    return made


def plain(array: Any) -> Any:
    """The array as numpy's own, which kernels may read."""
    return array.view(np.ndarray) if type(array) is MetaArray else array


def forgotten(array: Any) -> MetaArray:
    """The form of an array or number."""
    return meta_array(array.shape, array.dtype, None, getattr(array, "strides", None))


def is_meta(value: Any) -> bool:
    """Whether a tensor has no elements."""
    return type(getattr(value, "_array", None)) is MetaArray
