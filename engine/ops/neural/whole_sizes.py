"""Settings of a layer such as its kernel's size: one whole number, or one for each dimension.

Programs compute them, and ``kernel / 2`` is no whole number in Python. PyTorch refuses it where it would have to unpack it;
the words are its argument parser's.
"""

from __future__ import annotations

from typing import Any

from engine.ops.neural.windows import Sizes


def whole_sizes(value: Any, count: int, function: str, name: str, position: int) -> Sizes:
    """``3`` as ``(3, 3)`` for a ``count`` of two; several numbers as they stand, however many.

    Args:
        function, name, position: PyTorch's name of the function, of its parameter, and where that stands among the arguments.

    Raises:
        TypeError: neither a whole number nor a list or tuple of them.
    """
    if type(value) is int:
        return (value,) * count
    several = isinstance(value, list | tuple)
    if several and all(type(size) is int for size in value):
        return tuple(value)
    from engine.ops.core.argument_parser import wrong_sizes  # here, since importing torch should be quick

    wrong = wrong_sizes(function, name, position, value)
    if wrong is not None:
        raise TypeError(wrong)
    return tuple(map(int, value)) if several else (int(value),) * count
