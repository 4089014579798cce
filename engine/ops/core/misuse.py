"""What is said to somebody who calls an operator with the wrong things.

Most calls are right, so hardly anything is checked before the arithmetic: when numpy refuses, `diagnosed` looks at the
arguments for the cause and says it in PyTorch's words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.errors import Explained
from engine.ops.core.dimension import common_shape
from engine.ops.core.signature import Signature
from engine.placement import device, layout, memory_format
from engine.size import Size
from engine.tensor import Tensor

NUMBERS = (bool, int, float, complex, np.generic)
PLAIN = frozenset({bool, int, float, complex})
SURPRISED = (ValueError, TypeError, AttributeError, AssertionError, KeyError)
"""What kernels raise when they meet what they were not made for."""


SPELLED_WHOLE = frozenset({dtypes.dtype, device, layout, memory_format, Size})


def kind_of(value: Any) -> str:
    """A type as PyTorch's argument parser calls it."""
    kind = type(value)
    if kind.__module__.partition(".")[0] == "numpy" or kind in SPELLED_WHOLE:
        return f"{kind.__module__}.{kind.__name__}"
    return kind.__name__


def taken_out(name: str, kwargs: dict[str, Any]) -> Any:
    """Takes ``out`` out of a call's keywords.

    Raises:
        TypeError: numpy called, whose functions pass on ``axis=None, out=None``: PyTorch's methods take no such call.
    """
    out = kwargs.pop("out", None)
    if out is None and kwargs.get("axis", 0) is None:
        raise TypeError(Explained(f"{name}{REFUSED_NUMPY.get(name, SURPRISE)}", f"Write tensor.{name}() instead."))
    return out


SURPRISE = "() got an unexpected keyword argument 'axis'"
REFUSED_NUMPY = dict.fromkeys(("max", "min", "prod"), "(): argument 'dim' must be int, not NoneType") | dict.fromkeys(
    ("any", "all", "std", "var"),
    "() received an invalid combination of arguments - got (axis=NoneType, out=NoneType)",
)
"""What PyTorch's methods say to numpy's functions, where it is not the surprise at ``axis``."""


def not_a_tensor(name: str, signature: Signature, position: int, value: Any) -> TypeError:
    """PyTorch's "argument 'input' (position 1) must be Tensor, not float"."""
    parameter = "input" if signature.names[position] == "self" else signature.names[position]
    return TypeError(f"{name}(): argument '{parameter}' (position {position + 1}) must be Tensor, not {kind_of(value)}")


def no_overload(name: str, signature: Signature, given: Sequence[Any]) -> TypeError:
    """PyTorch's "received an invalid combination of arguments"."""
    names = ("input" if n == "self" else n for n in signature.names[: max(signature.positional, 1)])
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({', '.join(map(kind_of, given))}), "
        f"but expected one of:\n * ({', '.join(names)}), where at least one of the operands is a Tensor"
    )


def require_tensor(
    name: str,
    signature: Signature,
    positions: tuple[int, ...],
    arguments: tuple[Any, ...],
    given: Sequence[Any],
    overloaded: bool,
) -> None:
    """Refuses numbers and lists where a tensor must stand.

    Raises:
        TypeError: in PyTorch's words.
    """
    for position in positions:
        value = arguments[position]
        if not isinstance(value, Tensor):
            if overloaded:
                raise no_overload(name, signature, given)
            raise not_a_tensor(name, signature, position, value)


def only_tensors(tensors: Iterable[Any]) -> list[Tensor]:
    """The tensors as a list.

    Raises:
        TypeError: for something else among them, such as a list of tensors where a star is missing.
    """
    for place, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {kind_of(tensor)}")
    return list(tensors)


def plain_numbers(name: str, signature: Signature, arguments: tuple[Any, ...], given: int) -> tuple[Any, ...]:
    """The arguments (``given`` of them by position) with Python numbers for tensors that stand where PyTorch takes a number.

    Raises:
        TypeError: such a tensor has dimensions, or a gradient that would be lost; or it is no number at all.
    """
    for position, wanted in signature.numbers.items():
        value = arguments[position]
        if type(value) in PLAIN or value is signature.defaults[position]:
            continue
        if isinstance(value, np.generic):
            arguments = (*arguments[:position], value.item(), *arguments[position + 1 :])
            continue
        if not isinstance(value, Tensor) or value._array.ndim or value.requires_grad:
            where = f" (position {position + 1})" if position < given else ""
            words = f"{name}(): argument '{signature.names[position]}'{where} must be {wanted}"
            raise TypeError(f"{words}, not {kind_of(value)}")
        arguments = (*arguments[:position], value._array.item(), *arguments[position + 1 :])
    return arguments


def require_flags(name: str, signature: Signature, arguments: tuple[Any, ...]) -> None:
    """Refuses numbers where True or False must stand: a second dimension becomes ``keepdim`` in ``x.sum(0, 1)``.

    Raises:
        TypeError: in PyTorch's words.
    """
    for position in signature.flags:
        value = arguments[position]
        if value is not True and value is not False and value is not signature.defaults[position]:
            raise TypeError(
                f"{name}(): argument '{signature.names[position]}' (position {position + 1}) must be bool, not {kind_of(value)}"
            )


def diagnosed(
    name: str, signature: Signature, operands: tuple[int, ...], arguments: tuple[Any, ...], error: Exception
) -> Exception:
    """The error to raise instead of what numpy said: a wrong type, or shapes that do not go together; else the same."""
    for position in operands:
        value = arguments[position]
        if isinstance(value, list | tuple) and all(isinstance(v, Tensor) for v in value):
            continue
        if not isinstance(value, (Tensor, *NUMBERS)) and value is not None:
            return not_a_tensor(name, signature, position, value)
    for position in signature.whole:
        value = arguments[position]
        if not hasattr(value, "__index__"):
            parameter = signature.names[position]
            return TypeError(
                f"{name}(): argument '{parameter}' (position {max(position, 1)}) must be int, not {kind_of(value)}"
            )
    if isinstance(error, ValueError):
        together = arguments if "could not be broadcast together" in str(error) else [arguments[p] for p in operands]
        shape: tuple[int, ...] = ()
        for value in together:
            if isinstance(value, Tensor):
                try:
                    shape = common_shape(shape, value._array.shape)
                except RuntimeError as mismatch:
                    return mismatch
    return error
