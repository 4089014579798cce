"""Which values PyTorch's argument parser takes for a parameter of a kind, such as ``int`` or ``tuple of Tensors``.

Kinds are written as in `engine.ops.core.known_signatures`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.placement import device, layout, memory_format
from engine.random.generator import Generator
from engine.tensor import Tensor

WHOLE = (int, np.integer)
REAL = (int, float, np.integer, np.floating)
TAKES_NUMBERS = frozenset(
    "add sub mul div divide multiply subtract true_divide floor_divide remainder fmod pow bitwise_and "
    "bitwise_or bitwise_xor special_xlog1py xlogy special_zeta rsub where copy".split()
)
"""Functions of two operands, for whose tensors PyTorch takes numbers as well."""
SIMPLE: dict[str, Any] = {
    "str": str,
    "torch.dtype": (dtypes.dtype, type),
    "name": str,
    "torch.layout": layout,
    "torch.device": (device, str, int),
    "torch.memory_format": memory_format,
    "torch.Generator": Generator,
}
"""Kinds for which a look at the type is enough. Others, such as ``object``, take anything here."""


def is_whole(value: Any) -> bool:
    """A whole number, or a tensor that holds one and asks for no gradient."""
    if isinstance(value, Tensor):
        return value._array.dtype.kind in "iu" and value.dim() == 0 and not value.requires_grad
    return isinstance(value, WHOLE) and not isinstance(value, bool)


def is_index(value: Any) -> bool:
    """What Python can use as an index, such as a tensor of one whole number; a bool is none to the parser."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def is_scalar(value: Any) -> bool:
    """A tensor without dimensions and without gradient."""
    return isinstance(value, Tensor) and value.dim() == 0 and not value.requires_grad


def fits(kind: str, value: Any, name: str) -> bool:
    """Whether a value may stand for a parameter of this kind."""
    if kind == "Tensor":
        return isinstance(value, Tensor) or (
            name.removesuffix("_") in TAKES_NUMBERS and isinstance(value, (bool, *REAL, complex, np.bool_))
        )
    if kind == "int":
        return is_whole(value)
    if kind == "int[size]":
        return is_index(value)
    if kind == "Number":
        return isinstance(value, (bool, *REAL, complex, np.bool_, np.complexfloating)) or is_scalar(value)
    if kind == "float":
        return isinstance(value, (*REAL, np.bool_)) or is_scalar(value)
    if kind == "bool":
        return isinstance(value, bool)
    if kind.startswith("tuple of ints"):
        if isinstance(value, list | tuple):
            return not value or is_index(value[0])
        return kind.endswith("[1]") and is_index(value)
    if kind.startswith("tuple of"):
        element = Tensor if "Tensor" in kind else (bool, *REAL)
        return isinstance(value, list | tuple) and all(isinstance(v, element) for v in value)
    if kind == "torch.dtype" and isinstance(value, type):
        return value in dtypes.PYTHON_TYPES
    simple = SIMPLE.get(kind)
    return simple is None or isinstance(value, simple)
