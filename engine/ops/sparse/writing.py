"""What whole tensors do in ways of their own where they are sparse: writing in place, ``zeros_like``, and telling their type."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.inplace import store
from engine.ops.core.writable import check_shape, check_writable
from engine.ops.sparse.arrays import SparseArray
from engine.ops.sparse.compressed import Compressed, compress
from engine.ops.sparse.coordinates import nothing
from engine.ops.sparse.tensor import SparseParameter, SparseTensor
from engine.ops.tensors.numpy_interop import KINDS
from engine.placement import sparse_coo, sparse_csr
from engine.tensor import Tensor


def emptied(array: SparseArray, dtype: Any = None) -> SparseArray:
    """The same shape and layout with nothing stored."""
    chosen = array.dtype if dtype is None else dtype
    if isinstance(array, Compressed):
        return compress(nothing(array.shape, chosen, 2), array.by_row)
    return nothing(array.shape, chosen, array.sparse_dim)


def empty_of(shape: tuple[int, ...], dtype: Any, layout: Any) -> SparseArray:
    """``torch.zeros(…, layout=…)``: nothing stored."""
    places = nothing(shape, dtype, len(shape))
    return places if layout is sparse_coo else compress(places, layout is sparse_csr)


def zero_(self: SparseTensor) -> SparseTensor:
    """Forgets every stored value."""
    check_writable(self, (self,))
    store(self, emptied(self._array), "zero_")
    return self


def copy_(self: SparseTensor, src: Any, non_blocking: bool = False) -> SparseTensor:
    """Takes over another sparse tensor's places and values.

    Raises:
        RuntimeError: a dense source, or another shape.
    """
    if not isinstance(src, SparseTensor):
        raise RuntimeError(between_layouts(self, src))
    check_writable(self, (self, src))
    check_shape(self, src._array.shape)
    store(self, src._array.copy(), "copy_")
    return self


def between_layouts(target: Tensor, source: Any) -> str:
    """PyTorch's refusal to copy between dense and sparse."""
    return (
        "copy_() between dense and sparse Tensors is not implemented! Found self type = "
        f"{type_of(target)} and src type = {type_of(source)}. Convert the source with .to_dense() or .to_sparse()."
    )


def type_of(tensor: Any) -> str:
    """``torch.sparse.FloatTensor``."""
    return f"torch.{'' if getattr(tensor, '_strided', True) else 'sparse.'}{scalar_type(tensor)}Tensor"


def type_(self: SparseTensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The old name of its dtype with its layout, or itself in another dtype."""
    return type_of(self) if dtype is None else Tensor.type(self, dtype)


def filled_like(source: Tensor, function: str, dtype: Any) -> SparseArray:
    """``zeros_like`` and ``empty_like``: nothing stored.

    Raises:
        NotImplementedError: any other value, which would have to be stored everywhere.
    """
    array = source._array
    if function == "ones_like" and isinstance(array, Compressed):
        return array.with_values(np.ones(array.values.shape, dtype))
    if function not in ("zeros_like", "empty_like"):
        raise NotImplementedError(
            "Could not run 'aten::fill_.Scalar' with arguments from the 'SparseCPU' backend. "
            f"{function} would store every element: use it on .to_dense()."
        )
    assert isinstance(array, SparseArray)
    return emptied(array, dtype)


KINDS.update({SparseTensor: "sparse tensor", SparseParameter: "sparse parameter"})
SparseTensor.zero_ = zero_
SparseTensor.copy_ = copy_
SparseTensor.type = type_
