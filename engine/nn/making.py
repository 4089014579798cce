"""Empty tensors for layers to initialise."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops.factories.factory import checked_size
from engine.tensor import Parameter, Tensor, wrap


def empty(*shape: int, dtype: Any = None) -> Tensor:
    """A tensor whose values come later (zeros until then: runs must not depend on old memory).

    Raises:
        TypeError: a size that is no whole number, as ``torch.empty`` says it.
        RuntimeError: a negative size.
    """
    try:
        return wrap(np.zeros(shape, (dtype or dtypes.defaults.floating).array))
    except (TypeError, ValueError):
        checked_size("empty", shape if len(shape) == 1 else (shape,))
        raise


def empty_parameter(*shape: int, dtype: Any = None) -> Parameter:
    """`empty` as a parameter."""
    return Parameter(empty(*shape, dtype=dtype))


def pair(value: Any) -> tuple[Any, ...]:
    """``3`` as ``(3, 3)``."""
    return repeated(value, 2)


def repeated(value: Any, count: int) -> tuple[Any, ...]:
    """A number ``count`` times; a sequence as a tuple."""
    return tuple(value) if isinstance(value, list | tuple) else (value,) * count
