"""Tensors where Python wants something of its own: a number, a truth value, an index, a sequence of rows, a text."""

from __future__ import annotations

import operator
from typing import Any

from engine.autograd.modes import state as modes
from engine.ops.core.batching import refuse_branching
from engine.placement import META
from engine.tensor import Parameter, Tensor
from engine.warned import OF_LEAVING, warn_once


def single(self: Tensor) -> Any:
    """The one element, for Python's own conversions; it leaves the graph.

    Raises:
        ValueError: there is not exactly one.
    """
    if self._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self.item()


def leaving(self: Tensor) -> Any:
    """`single`, for conversions that PyTorch warns of: the number has no gradient."""
    number = single(self)
    if self.requires_grad and modes.grad_enabled:
        warn_once(OF_LEAVING, stacklevel=3)
    return number


def to_bool(self: Tensor) -> bool:
    """Truth of the one element.

    Raises:
        RuntimeError: in PyTorch's words, for none or several elements.
    """
    size = self._array.size
    if size != 1:
        raise RuntimeError(
            f"Boolean value of Tensor with {'no values' if not size else 'more than one value'} is ambiguous"
        )
    refuse_branching(self, control_flow=True)
    return bool(self.item())


def to_index(self: Tensor) -> int:
    """As a whole number where Python needs one (``range(n)``, ``list[i]``).

    Raises:
        TypeError: for anything but one whole number.
    """
    if self._array.size != 1 or self._array.dtype.kind not in "biu":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return operator.index(self.item())


def length(self: Tensor) -> int:
    """The length of the first dimension.

    Raises:
        TypeError: for a 0-d tensor.
    """
    if not self._array.ndim:
        raise TypeError("len() of a 0-d tensor")
    return int(self._array.shape[0])


def contains(self: Tensor, element: Any) -> bool:
    """Whether some element equals it.

    Raises:
        RuntimeError: for anything but a tensor or a number.
    """
    if isinstance(element, Tensor | bool | int | float | complex):
        return bool((self == element)._array.any())
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {element.__class__}.")


def iterate(self: Tensor) -> Any:
    """The rows, one after the other.

    Raises:
        TypeError: for a 0-d tensor.
    """
    if not self._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


def formatted(self: Tensor, specification: str) -> str:
    """A 0-d tensor formats like its number, any other like its text."""
    if self._array.ndim == 0 and not isinstance(self, Parameter) and self.device is not META:
        return format(self.item(), specification)
    return object.__format__(self, specification)


def real(number: Any, kind: str) -> Any:
    """A complex number without an imaginary part as the real one that it is; others as they are.

    Raises:
        RuntimeError: there is an imaginary part, which would be lost.
    """
    if not isinstance(number, complex):
        return number
    if number.imag:
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    return number.real


Tensor.__bool__ = to_bool
Tensor.__float__ = lambda self: float(real(leaving(self), "double"))
Tensor.__int__ = lambda self: int(real(single(self), "int64_t"))
Tensor.__complex__ = lambda self: complex(leaving(self))
Tensor.__index__ = to_index
Tensor.__len__ = length
Tensor.__contains__ = contains
Tensor.__iter__ = iterate
Tensor.__format__ = formatted  # type: ignore[assignment]  # object's takes no tensor
