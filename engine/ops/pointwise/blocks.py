"""Which numbers of a tensor an elementwise kernel computes with vector code, and which one by one.

PyTorch's AVX2 loops take two vectors of eight float32 numbers at a time; what is left over goes through the C library, whose
functions differ from the vector ones in the last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

AT_ONCE = 16
"""Numbers that an elementwise AVX2 loop takes at a time."""
PIECE = 4096
"""Numbers whose steps in between, thirty arrays of them, stay in the processor's cache."""


def in_blocks(vector: Callable[..., Any], single: Callable[..., Any], *arrays: Any) -> Any:
    """``vector`` of the whole blocks of float32 arrays of one shape, ``single`` of the rest.

    Of several dimensions that are not contiguous all goes by vector: there the loops have another length.
    """
    first = arrays[0]
    if np.size(first) < AT_ONCE:
        return single(*arrays)
    rest = first.size % AT_ONCE
    if not rest or (first.ndim > 1 and not all(array.flags.c_contiguous for array in arrays)):
        return in_pieces(vector, *arrays)
    flat = [array.ravel() for array in arrays]
    parts = [in_pieces(vector, *[array[:-rest] for array in flat]), single(*[array[-rest:] for array in flat])]
    return np.concatenate(parts).reshape(first.shape)


def in_pieces(function: Callable[..., Any], *arrays: Any) -> Any:
    """``function`` of arrays of one shape, of large ones piece by piece."""
    first = arrays[0]
    if np.size(first) <= PIECE or not all(array.flags.c_contiguous for array in arrays):
        return function(*arrays)
    flat = [array.ravel() for array in arrays]
    starts = range(0, first.size, PIECE)
    return np.concatenate([function(*[array[at : at + PIECE] for array in flat]) for at in starts]).reshape(first.shape)
