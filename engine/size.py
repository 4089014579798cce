"""``torch.Size``: a tuple with PyTorch's repr and ``numel``."""

from __future__ import annotations

import math
from typing import Any

from engine.spelled import Spelled


class Size(Spelled, tuple[int, ...]):
    """A tensor's shape."""

    __slots__ = ()

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
