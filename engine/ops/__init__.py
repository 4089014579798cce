"""Operators, a package per family; each declared once (`engine.ops.core.declare`).

Importing this package declares what most programs use. The families of `engine.ops.further` are declared when a name is asked
for that is not here, since importing torch should be quick: whoever reads the catalogue (`engine.ops.core.catalogue`) sees them all.
"""

from engine.ops.backward import kernels, rounded
from engine.ops.core import autocast, catalogue, dispatch
from engine.ops.factories import creation, filled, legacy, matrices, sequences
from engine.ops.layout import (
    axes,
    copies,
    diagonals,
    expansion,
    grids,
    joining,
    leaving,
    placing,
    reordering,
    shape,
    slicing,
    splitting,
    strided,
    view_functions,
    view_writes,
    views_in_place,
)
from engine.ops.pointwise import (
    activations,
    arithmetic,
    bitwise,
    blending,
    clamping,
    compare,
    complex,
    division,
    elu,
    exponential,
    gelu,
    larger_smaller,
    powers,
    python_operators,
    rounding,
    smooth_activations,
    trials,
    trigonometry,
)
from engine.ops.products import matmul, matrix
from engine.ops.random import draws, fills, gamma_draws, gumbel, numbers, state
from engine.ops.reduction import (
    cumulative,
    extremes,
    norms,
    order_statistics,
    product,
    reduce,
    softmax,
    sorting,
    spread,
    truth,
)
from engine.ops.selection import flat_places, gathering, indexing, masks, picking, reductions_into, scattering
from engine.ops.tensors import (
    conversion,
    defaults,
    facts,
    foreach,
    late_methods,
    moves,
    numpy_interop,
    python_protocols,
    showing,
    storage,
    switches,
)

autocast.declare_casting()
catalogue.LATE_FAMILIES.append("engine.ops.further")
