"""``torch.sparse``: products, sums and softmax of sparse tensors."""

from __future__ import annotations

from typing import Any as _Any

from engine.ops.sparse.checking import as_sparse_gradcheck
from engine.ops.sparse.diagonals import spdiags
from engine.ops.sparse.invariants import check_sparse_tensor_invariants
from engine.ops.sparse.products import addmm_of_any as addmm
from engine.ops.sparse.products import mm_of_any as mm
from engine.ops.sparse.reductions import sum_of_any as sum
from engine.ops.sparse.softmax import log_softmax, softmax
from engine.torch.missing import module_getattr as _module_getattr

__all__ = [
    "addmm",
    "as_sparse_gradcheck",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "softmax",
    "spdiags",
    "sum",
]
__getattr__: _Any = _module_getattr("torch.sparse", globals())
