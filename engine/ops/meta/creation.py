"""New meta tensors: factories give the form of what they would have made, and draw no random number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.meta.arrays import MetaArray, forgotten, meta_array
from engine.ops.random.state import fork_rng

NO_ELEMENTS = (0,)
"""A size with which a kernel draws and computes nothing, and still says its dtype."""


def made(kernel: Callable[..., np.ndarray], args: tuple[Any, ...], options: dict[str, Any], sized: bool) -> MetaArray:
    """What a factory's kernel makes, by form.

    Args:
        kernel: the factory's.
        args: its arguments; if it is ``sized``, the lengths.
        options: keyword arguments, the dtype among them.
    """
    with fork_rng():
        if sized:
            return meta_array(args, kernel(*NO_ELEMENTS, **options).dtype)
        if kernel.__name__ == "full":
            return meta_array(tuple(args[0]), kernel(NO_ELEMENTS, *args[1:], **options).dtype)
        return forgotten(kernel(*args, **options))


def made_like(
    kernel: Callable[..., np.ndarray], array: Any, dtype: np.dtype[Any], args: tuple[Any, ...], options: dict[str, Any]
) -> MetaArray:
    """What a ``_like`` factory makes, by form."""
    with fork_rng():
        kernel(np.empty(NO_ELEMENTS, dtype), *args, **options)
    return meta_array(array.shape, dtype, None, getattr(array, "strides", None))
