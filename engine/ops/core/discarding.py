"""The warning about imaginary parts that a conversion drops."""

from __future__ import annotations

import sys
import warnings

import numpy as np


def warn_of_discarding(source: np.dtype, target: np.dtype) -> None:
    """Warns, at the line outside of the engine, if the conversion drops imaginary parts.

    PyTorch does so once in a process; here Python's filter decides, once a line by default, so that a replay warns again.
    """
    if source.kind != "c" or target.kind in "cb":
        return
    package, level, frame = __name__.partition(".")[0], 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=level)
