"""Tensor methods whose family is imported when one of them is first asked for: few programs have sparse tensors."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from engine.tensor import Tensor


class LateMethod:
    """Stands on the tensor class until its family is there, which puts the method itself in its place."""

    def __init__(self, family: str, name: str) -> None:
        self.family, self.name = family, name

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        import_module(self.family)
        return getattr(owner if instance is None else instance, self.name)


for _name in (
    "_coalesced_ _indices _nnz _values ccol_indices coalesce col_indices crow_indices dense_dim indices is_coalesced row_indices "
    "sparse_dim sparse_mask sparse_resize_ to_dense to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr values"
).split():
    setattr(Tensor, _name, LateMethod("engine.ops.sparse", _name))
