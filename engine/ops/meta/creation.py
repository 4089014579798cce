"""New meta tensors: factories give the form of what they would have made, and draw no random number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.meta.arrays import MetaArray, forgotten, of
from engine.ops.random.state import fork_rng

NONE = (0,)


def made(kernel: Callable[..., np.ndarray], args: tuple[Any, ...], options: dict[str, Any], sized: bool) -> MetaArray:
    """What a factory's kernel makes, by form.

    Args:
        kernel: the factory's.
        args: its arguments; if it is ``sized``, the lengths.
        options: keyword arguments, the dtype among them.
    """
    with fork_rng():
        if sized:
            return of(args, kernel(*NONE, **options).dtype)
        if kernel.__name__ == "full":
            return of(tuple(args[0]), kernel(NONE, *args[1:], **options).dtype)
        return forgotten(kernel(*args, **options))


def made_like(
    kernel: Callable[..., np.ndarray], array: Any, dtype: np.dtype[Any], args: tuple[Any, ...], options: dict[str, Any]
) -> MetaArray:
    """What a ``_like`` factory makes, by form."""
    with fork_rng():
        kernel(np.empty(NONE, dtype), *args, **options)
    return of(array.shape, dtype, None, getattr(array, "strides", None))
