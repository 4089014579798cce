"""The limits of numpy's floating types, and of the one that numpy does not have."""

from __future__ import annotations

from typing import Any

import numpy as np


def float_limits(array_dtype: np.dtype[Any]) -> Any:
    """``numpy.finfo``, and for bfloat16 what stands for it (``eps``, ``max``, ``min``, ``nmant``, ``tiny``, …).

    Raises:
        ValueError: for a type that is not floating.
    """
    if array_dtype.kind in "fc":
        return np.finfo(array_dtype)
    import ml_dtypes  # here, since importing torch should be quick

    return ml_dtypes.finfo(array_dtype)  # type: ignore[no-untyped-call]  # ships no types
