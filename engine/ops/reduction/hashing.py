"""``hash_tensor``: a fingerprint of the elements' bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.declare import operator
from engine.ops.reduction.dims import wrap_dims


@operator(formula="x₁ ⊕ x₂ ⊕ …", at="torch tensor")
def hash_tensor(self: Any, dim: Any = (), *, keepdim: bool = False, mode: int = 0) -> Any:
    """The exclusive or of all elements' bits, floats taken as 64 bits wide. Bits have no slope.

    Raises:
        RuntimeError: an unknown mode, or nothing to reduce and no dimension named.
        IndexError: a named dimension of no length.
        NotImplementedError: complex numbers.
    """
    if mode:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    dims = wrap_dims(dim, self.ndim)
    if not self.size and dim in ((), [], None):
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
            "'dim' argument."
        )
    for each in dims:
        if not self.shape[each]:
            raise IndexError(f"hash_tensor: Expected reduction dim {each} to have non-zero size.")
    if self.dtype.kind == "c":
        raise NotImplementedError(f"\"xor_sum_cpu\" not implemented for '{scalar_type(self)}'")
    array = np.asarray(self)
    is_whole = array.dtype.kind in "biu"
    bits: Any = array.astype(np.int64 if is_whole else np.float64).view(np.uint64)
    exclusive_or: Any = np.bitwise_xor  # numpy's stubs know no ``axis`` of several
    return exclusive_or.reduce(bits, axis=dims, keepdims=keepdim)
