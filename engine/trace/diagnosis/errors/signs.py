"""The class of cause that an error's own words tell: Python's syntax errors, and PyTorch's many words for two classes."""

from __future__ import annotations

import re

SYNTAX = frozenset({"SyntaxError", "IndentationError", "TabError"})
DTYPES = re.compile(
    r"expected scalar type|same dtype|can require gradients?|expected target dtype|following scalar types"
    r"|could not infer output dtype|not implemented for '|can't be cast to the desired output type|Expected dtype"
    r"|must be long, int, byte or bool|bias type .* should be the same|weight type .* should be the same"
    r"|Found dtype|index tensor of type|Expected floating point type"
)
"""Two types of numbers that do not fit together, or a type that an operation does not take."""
SHAPES = re.compile(
    r"cannot be multiplied|must match the size of|is invalid for input of size|size mismatch|inconsistent tensor size"
    r"|Mismatch in shape|must match except in dimension|to be equal size|Expected size for first two dimensions"
    r"|different to the input size|must be the same as input size|to match target batch_size"
    r"|must match the existing size|shape mismatch|mismatch: |cannot be broadcast|does not broadcast with"
    r"|incompatible for broadcasting|expected input\[|Expected \dD|expected \dD|\d-D or \d-D|Expected 1-D"
    r"|Kernel size can't be greater|should contain \d+ elements not|expected input with shape"
    r"|must be equal to input_size|inconsistent input_size|inconsistent hidden_size|Expected hidden\S* size"
    r"|same number of dimensions|does not match the shape of the indexed tensor|does not match the length of"
    r"|view size is not compatible|expecting embedding dimension|batches of square matrices"
    r"|same number of columns|don't multiply up|must match self tensor shape|elements cannot be converted to Scalar"
    r"|Dimension out of range|D target tensor expected"
)
"""Two shapes that do not fit together, or a shape that an operation does not take."""


def told_by(error: str, message: str) -> str:
    """The class of cause for an error's class and message; ``error`` where the words tell of none."""
    if error in SYNTAX:
        return "syntax"
    if DTYPES.search(message):
        return "dtype_mismatch"
    return "shape_mismatch" if SHAPES.search(message) else "error"
