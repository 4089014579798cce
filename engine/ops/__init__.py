"""Operators, one file per family; each declared once (`engine.ops.declare`). Importing this package declares them all."""

from engine.ops import (  # noqa: F401 (importing declares)
    arithmetic,
    creation,
    defaults,
    filled,
    graph_moves,
    matrix,
    random_fills,
    random_numbers,
    random_state,
    reduce,
    sequences,
    shape,
    showing,
    strided,
    unary,
)
