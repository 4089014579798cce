"""How sparse tensors show themselves."""

from __future__ import annotations

from engine import dtype as dtypes
from engine.ops.sparse.arrays import SparseArray
from engine.ops.sparse.coordinates import Coordinates
from engine.ops.sparse.lines import Lines
from engine.ops.sparse.tensor import SparseParameter, SparseTensor
from engine.printing.description import describe_parameter, describe_parts


def parts_of(array: SparseArray) -> dict[str, object]:
    """Its arrays under the names that PyTorch prints."""
    if isinstance(array, Coordinates):
        return {"indices": array.indices, "values": array.values}
    assert isinstance(array, Lines)
    starts, others = ("crow_indices", "col_indices") if array.by_row else ("ccol_indices", "row_indices")
    return {starts: array.starts, others: array.others, "values": array.values}


def sparse_repr(self: SparseTensor, *, tensor_contents: object = None) -> str:
    """PyTorch's text, byte for byte."""
    node = self.grad_fn
    return describe_parts(
        parts_of(self._array),
        self._array.shape,
        self.dtype.name,
        str(self.layout),
        default_dtype=dtypes.defaults.floating.name,
        requires_grad=self.requires_grad,
        grad_fn=None if node is None else node.name().rsplit("::", 1)[-1],
        facts_apart=isinstance(self._array, Coordinates),
    )


def parameter_repr(self: SparseParameter) -> str:
    """``Parameter containing:`` and the tensor on the next line."""
    return describe_parameter(sparse_repr(self))


SparseTensor.__repr__ = sparse_repr  # type: ignore[assignment]  # takes options, as `Tensor.__repr__`
SparseParameter.__repr__ = parameter_repr  # type: ignore[assignment]  # the same
