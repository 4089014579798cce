"""Sparse tensors: layouts that store places and values instead of all elements.

Importing this package teaches operators to look at layouts; until a program makes its first sparse tensor they do not
(``modes.sparse_met``). It is reached late (`engine.ops.tensors.late_methods`, ``engine.torch.sparse``), because few programs have any.
"""

from engine.ops.sparse import (
    checking,
    conversion,
    creation,
    diagonals,
    masks,
    moves,
    parts,
    pointwise,
    products,
    reduced_products,
    reductions,
    rows,
    scaling,
    showing,
    softmax,
    sums,
    tensor,
    writing,
)

__all__ = [
    "checking",
    "conversion",
    "creation",
    "diagonals",
    "masks",
    "moves",
    "parts",
    "pointwise",
    "products",
    "reduced_products",
    "reductions",
    "rows",
    "scaling",
    "showing",
    "softmax",
    "sums",
    "tensor",
    "writing",
]
