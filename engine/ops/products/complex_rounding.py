"""Matrix products of complex numbers, rounded as PyTorch's BLAS rounds them.

Neither of its ways fuses a real product with an imaginary one, so that the diagonal of ``A @ A.mH`` is real: its imaginary
parts cancel exactly. numpy's kernels leave a rest of 1e-8 there, which shows in every printed number of the matrix. The rules
were read off PyTorch 2.13.0 on an x86-64 machine, as those of `engine.ops.products.rounding`.

Everything here takes and gives arrays of two or three dimensions, stacks of matrices in the latter case.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WIDE = {8: (4, 4), 16: (4, 12)}
"""By the bytes of a number: from these sizes of the result on (rows, columns), real and imaginary parts multiply apart."""
SHALLOW = 4
"""Below this depth they never do."""
FEW = 400
"""Nor where matrices of a stack have fewer products each."""
LONG = 1024
"""Depth from which on speed comes before the last bit."""


def complex_product(a: Any, b: Any) -> Any:
    """``a @ b``."""
    rows, depth, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    if not a.size or not b.size:
        return a @ b
    least_rows, least_columns = WIDE[a.dtype.itemsize]
    is_small = a.ndim == 3 and rows * depth * columns < FEW
    if rows >= least_rows and columns >= least_columns and depth >= SHALLOW and not is_small:
        return by_parts(a, b)
    return a @ b if depth > LONG else in_sequence(a, b)


def by_parts(a: Any, b: Any) -> Any:
    """Four real products."""
    # numpy's real kernels add in PyTorch's order where the first factor lies by columns
    first, second = (np.ascontiguousarray(part.swapaxes(-1, -2)).swapaxes(-1, -2) for part in (a.real, a.imag))
    real, imaginary = np.ascontiguousarray(b.real), np.ascontiguousarray(b.imag)
    result = np.empty((*a.shape[:-1], b.shape[-1]), a.dtype)
    result.real = first @ real - second @ imaginary
    result.imag = first @ imaginary + second @ real
    return result


def in_sequence(a: Any, b: Any) -> Any:
    """One rounded product of complex numbers after the other."""
    result = np.zeros((*a.shape[:-1], b.shape[-1]), a.dtype)
    for place in range(a.shape[-1]):
        left, right = a[..., :, place, None], b[..., None, place, :]
        result.real += left.real * right.real - left.imag * right.imag
        result.imag += left.real * right.imag + left.imag * right.real
    return result
