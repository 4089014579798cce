"""``torch.distributions.constraints.Constraint``: what a parameter or a value must satisfy, and how that is asked.

Ours are checked on the bare arrays: asking whether a number is allowed is no step of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.tensor import Tensor

Check = Callable[[Any], Any]


class Constraint:
    """Base class: programs that bring their own give ``check(value)``; ``event_dim`` trailing dimensions make one value."""

    is_discrete: Any = False
    event_dim: Any = 0
    lower_bound: Any
    """The limit below; only where there is one, as in PyTorch."""
    upper_bound: Any
    """The limit above, likewise."""
    base_constraint: Any
    """What each element of an `independent` constraint satisfies, likewise."""

    def check(self, value: Tensor) -> Tensor:
        """Per value, whether the condition holds."""
        raise NotImplementedError

    def _holds(self, value: Tensor) -> np.ndarray:
        """`check` as an array."""
        return np.asarray(self.check(value)._array)

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}()"  # PyTorch's own have an underscore there


class Condition(Constraint):
    """A condition with a name, checked on arrays."""

    def __init__(
        self,
        shown: str,
        check: Check,
        *,
        is_discrete: bool = False,
        event_dim: int = 0,
        bounds: tuple[Any, Any] = (None, None),
    ) -> None:
        self._shown = shown
        self._check = check
        self.is_discrete = is_discrete
        self.event_dim = event_dim
        for name, bound in zip(("lower_bound", "upper_bound"), bounds, strict=True):
            if bound is not None:
                setattr(self, name, bound)

    def _holds(self, value: Tensor) -> np.ndarray:
        """Per value, whether the condition holds."""
        return np.asarray(self._check(np.asarray(value._array)))

    def check(self, value: Tensor) -> Tensor:
        """The same as a tensor of booleans."""
        return Tensor._output_again(self._holds(value), None, None, 0)

    def __repr__(self) -> str:
        return self._shown
