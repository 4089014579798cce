"""``torch.finfo`` and ``torch.iinfo``: the limits of an element type."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.float_limits import float_limits
from engine.spelled import Spelled


def asked(function: str, kind: Any) -> dtypes.dtype:
    """The dtype that was asked about, which may be a type of Python's own.

    Raises:
        TypeError: something else.
    """
    if isinstance(kind, dtypes.dtype):
        return kind
    if isinstance(kind, type) and kind in dtypes.PYTHON_TYPES:
        return dtypes.PYTHON_TYPES[kind]
    raise TypeError(f"{function}(): argument 'type' (position 1) must be torch.dtype, not {type(kind).__name__}")


class finfo(Spelled):
    """Limits of a floating type (of a complex type: those of its parts).

    Raises:
        TypeError: for an integer type.
    """

    __module__ = "torch"

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: dtypes.dtype | None = None) -> None:
        real = (dtypes.defaults.floating if type is None else asked("finfo", type)).to_real()
        if not real.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        found = float_limits(real.array)
        self.bits = 8 * real.itemsize
        self.dtype = real.name
        self.eps = float(found.eps)
        self.max = float(found.max)
        self.min = float(found.min)
        self.tiny = self.smallest_normal = float(found.tiny)
        self.resolution = float(f"1e-{int((found.nmant) * 0.30103)}")

    def __repr__(self) -> str:
        shown = (
            f"{name}={getattr(self, name):g}" for name in ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        )
        return f"finfo({', '.join(shown)}, dtype={self.dtype})"


class iinfo(Spelled):
    """Limits of an integer type.

    Raises:
        TypeError: for a type that is none.
    """

    __module__ = "torch"

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, type: dtypes.dtype) -> None:
        type = asked("iinfo", type)
        if type is dtypes.bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if type.category != dtypes.INTEGER:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        found = np.iinfo(type.array)
        self.bits = int(found.bits)
        self.dtype = type.name
        self.max = int(found.max)
        self.min = int(found.min)

    def __repr__(self) -> str:
        return f"iinfo(min={float(self.min):g}, max={float(self.max):g}, dtype={self.dtype})"
