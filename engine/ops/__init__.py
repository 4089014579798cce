"""Operators, a package per family; each declared once (`engine.ops.core.declare`). Importing this package declares all."""

from engine.ops import fourier, linear_algebra, neural
from engine.ops.core import autocast, dispatch, refusals
from engine.ops.factories import creation, filled, legacy, sequences, windows
from engine.ops.layout import (
    axes,
    copies,
    diagonals,
    expansion,
    graph_moves,
    joining,
    placing,
    reordering,
    shape,
    slicing,
    splitting,
    strided,
    view_copies,
    view_functions,
    views_in_place,
)
from engine.ops.pointwise import (
    activations,
    arithmetic,
    bessel,
    bitwise,
    choose,
    compare,
    complex,
    division,
    elu,
    exponential,
    gelu,
    polynomials,
    powers,
    python_operators,
    rounding,
    smooth_activations,
    special_functions,
    trials,
    trigonometry,
)
from engine.ops.products import matmul, matrix
from engine.ops.random import fills, gamma_draws, gumbel, numbers, state
from engine.ops.reduction import (
    areas,
    cumulative,
    extremes,
    histograms,
    norms,
    quantiles,
    reduce,
    sets,
    softmax,
    sorting,
    spread,
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
    showing,
    storage,
    switches,
)

autocast.declare_casting()
refusals.declare_refusals()
neural.loss_backward.declare_recorded()
neural.norm_backward.declare_recorded()
neural.recorded_derivatives.declare_recorded()
