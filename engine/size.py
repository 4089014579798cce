"""``torch.Size``: a tuple with PyTorch's repr and ``numel``."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from functools import partial
from typing import Any, Self

from engine.spelled import Spelled


def whole(size: Any, place: int) -> int:
    """One length, which may come as anything that is a whole number.

    Raises:
        TypeError: it is none.
    """
    if isinstance(size, int) and not isinstance(size, bool):
        return size
    try:
        return operator.index(size)
    except TypeError:
        kind = type(size).__name__
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {place} is '{kind}')") from None


class Size(Spelled, tuple[int, ...]):
    """A tensor's shape."""

    __slots__ = ()

    def __new__(cls, sizes: Iterable[Any] = ()) -> Self:
        """From whole numbers, or tensors of one.

        Raises:
            TypeError: something else is among them.
        """
        made = tuple.__new__(cls, sizes)
        if any(type(n) is not int for n in made):
            made = tuple.__new__(cls, [whole(n, place) for place, n in enumerate(made)])
        return made

    def numel(self) -> int:
        """Number of elements of a tensor of this shape."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(repr, self))}])"

    def __add__(self, other: tuple[int, ...]) -> Size:  # type: ignore[override]  # a tuple alone
        return Size(tuple(self) + tuple(other))

    def __radd__(self, other: tuple[int, ...]) -> Size:
        return Size(tuple(other) + tuple(self))

    def __mul__(self, times: Any) -> Size:
        return Size(tuple(self) * times)

    def __getitem__(self, index: Any) -> Any:
        item = tuple.__getitem__(self, index)
        return Size(item) if isinstance(index, slice) else item


size_of = partial(tuple.__new__, Size)
"""The `Size` of a tuple that is known to hold ints, without looking at them: a tensor is asked for its shape all the time."""
