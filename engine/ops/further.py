"""Families that a first program does without, declared when a name is asked for that is not in the catalogue yet.

With them the engine would take more than a quarter longer to import. Nothing here may change what another family declares, else
it would matter whether somebody has asked.
"""

from engine.late import without_collecting
from engine.ops.core import autocast, refusals

with without_collecting():  # what is declared is never garbage
    from engine.ops import fourier, linear_algebra, neural  # noqa: F401 (importing declares)
    from engine.ops.layout import view_copies  # noqa: F401
    from engine.ops.pointwise import bessel, fake_quantization, leaky_relu, polynomials, special_functions  # noqa: F401
    from engine.ops.reduction import areas, hashing, histograms, quantiles, segments, sets  # noqa: F401
    from engine.ops.tensors import dimension_order, older_methods  # noqa: F401

autocast.declare_casting()
autocast.declare_composed_casting()
refusals.declare_refusals()
