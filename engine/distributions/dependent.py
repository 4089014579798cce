"""``constraints.dependent``: what holds of a parameter or a value is known for a distribution, not for its class."""

from __future__ import annotations

from typing import Any, NoReturn

from engine.distributions.constraint import Constraint


class Dependent(Constraint):
    """A constraint that cannot be checked; called, it gives one of which more is known."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim

    @property
    def is_discrete(self) -> Any:
        """Whether values are whole numbers.

        Raises:
            NotImplementedError: nobody said.
        """
        return known(self._is_discrete, "is_discrete")

    @property
    def event_dim(self) -> Any:
        """How many dimensions make one value.

        Raises:
            NotImplementedError: nobody said.
        """
        return known(self._event_dim, "event_dim")

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> Any:
        """The same with more known about it."""
        return Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value: Any) -> NoReturn:
        """Raises ValueError: always."""
        raise ValueError("Cannot determine validity of dependent constraint")


class DependentProperty(property, Dependent):
    """A property of a distribution that gives a constraint, and is one itself when asked of the class."""

    def __init__(self, fn: Any = None, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Any) -> DependentProperty:  # type: ignore[override]  # as in PyTorch, a decorator here
        """Used as a decorator after what is known was said."""
        return DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


for _class in (Dependent, DependentProperty):
    _class.__name__, _class.__module__ = f"_{_class.__name__}", "torch.distributions.constraints"
    _class.__qualname__ = _class.__name__


def known(value: Any, name: str) -> Any:
    """What somebody said of ``name``. Raises NotImplementedError: nobody did."""
    if value is NotImplemented:
        raise NotImplementedError(f".{name} cannot be determined statically")
    return value


def is_dependent(constraint: Any) -> bool:
    """Whether it is known for a distribution only."""
    return isinstance(constraint, Dependent)
