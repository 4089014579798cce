"""Meta tensors: shape, dtype and strides, and no elements (``device="meta"``).

An operator runs on them by shape: its own kernel computes on a stand-in whose values are forgotten (`kernels`), or, where the tensors
are large, on small ones from which the sizes are worked out (`sizes`). So every operator of the catalogue has a meta kernel, and none
is written twice. Importing this package teaches operators to look; until a program asks for its first meta tensor they do not
(``modes.meta_met``), and nothing here is loaded.
"""

from engine.ops.meta import arrays, creation, kernels, moves, showing, sizes

__all__ = ["arrays", "creation", "kernels", "moves", "showing", "sizes"]
