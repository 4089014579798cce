"""``constraints.cat`` and ``constraints.stack``: other constraints for the parts of a value along one dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.distributions.constraint import Constraint
from engine.tensor import Tensor, wrap


def require_constraints(cseq: Sequence[Any]) -> None:
    """Raises AssertionError: something else among them."""
    if not all(isinstance(each, Constraint) for each in cseq):
        raise AssertionError("All elements of cseq must be Constraint instances")


def require_dimension(value: Tensor, dim: int) -> None:
    """Raises AssertionError: the value has no such dimension."""
    if not -value.dim() <= dim < value.dim():
        raise AssertionError(f"dim {dim} out of range for value with {value.dim()} dimensions")


class Joined(Constraint):
    """Several constraints along the dimension ``dim`` of one value."""

    def __init__(self, cseq: Sequence[Any], dim: int = 0) -> None:
        require_constraints(cseq)
        self.cseq, self.dim = list(cseq), dim

    is_discrete = property(lambda self: any(each.is_discrete for each in self.cseq))
    event_dim = property(lambda self: max(each.event_dim for each in self.cseq))

    def check(self, value: Tensor) -> Tensor:
        """Each part by its own constraint."""
        require_dimension(value, self.dim)
        return wrap(self._holds(value))


class Cat(Joined):
    """``lengths`` says how long each part is; 1 without it.

    Raises:
        AssertionError: another number of lengths than of constraints.
    """

    def __init__(self, cseq: Sequence[Any], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    def _holds(self, value: Tensor) -> np.ndarray:
        """Each part by its own constraint."""
        parts = np.split(np.asarray(value._array), np.cumsum(self.lengths)[:-1], self.dim)
        return np.concatenate([each._holds(wrap(part)) for each, part in zip(self.cseq, parts, strict=True)], self.dim)


class Stack(Joined):
    """Each constraint is for one place."""

    def _holds(self, value: Tensor) -> np.ndarray:
        """Each place by its own constraint."""
        places = np.moveaxis(np.asarray(value._array), self.dim, 0)
        return np.stack([each._holds(wrap(part)) for each, part in zip(self.cseq, places, strict=False)], self.dim)


Cat.__name__, Stack.__name__ = "_Cat", "_Stack"
