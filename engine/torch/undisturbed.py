"""Imported before everything else: holds the garbage collector back while the catalogue is declared.

What is made then lives as long as the process, so looking for garbage among it is time lost, a tenth of the import. numpy
comes first: reached through an extension module, as below, it takes longer to import.
"""

from __future__ import annotations

import gc

import numpy as np

_collecting = gc.isenabled()
gc.disable()


def over() -> None:
    """The import is done: the collector works as before, and leaves alone what is there by now."""
    gc.freeze()
    if _collecting:
        gc.enable()
