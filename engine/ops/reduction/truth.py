"""Yes or no, and how many: whether all or any are true, and how many are not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import operator
from engine.ops.reduction.dims import wrap_dims


def truth(reduce: Any, array: Any, dim: Any, keepdim: bool) -> Any:
    """A truth value (a uint8 for bytes)."""
    result = reduce(array.astype(np.bool_), axis=wrap_dims(dim, array.ndim), keepdims=keepdim)
    return result.astype(np.uint8) if array.dtype == np.uint8 else result


@operator(order="rows", formula="∀ x")
def all(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether no element is zero. A yes or no has no slope."""
    return truth(np.all, self, dim, keepdim)


@operator(order="rows", formula="∃ x")
def any(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether some element is not zero. A yes or no has no slope."""
    return truth(np.any, self, dim, keepdim)


@operator(order="rows", formula="#{x ≠ 0}")
def count_nonzero(self: Any, dim: Any = None) -> Any:
    """How many are not zero. A count has no slope."""
    return np.asarray(
        np.count_nonzero(np.asarray(self), axis=wrap_dims(dim, self.ndim) if self.ndim else None), np.int64
    )[()]
