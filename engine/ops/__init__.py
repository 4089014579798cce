"""Operators, one file per family; each declared once (`engine.ops.declare`). Importing this package declares them all."""

from engine.ops import (  # noqa: F401 (importing declares)
    arithmetic,
    creation,
    graph_moves,
    matrix,
    reduce,
    shape,
    strided,
    unary,
)
