"""The warning about imaginary parts that a conversion drops."""

from __future__ import annotations

import sys

import numpy as np

from engine.warned import warn_once


def warn_of_discarding(source: np.dtype, target: np.dtype) -> None:
    """Warns, at the line outside of the engine, if the conversion drops imaginary parts."""
    if source.kind != "c" or target.kind in "cb":
        return
    package, level, frame = __name__.partition(".")[0], 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warn_once("Casting complex values to real discards the imaginary part", stacklevel=level)
