"""``torch.distributions.transforms.Transform``: a differentiable map that knows its inverse and how it stretches volume."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.distributions import constraints
from engine.distributions.constraints import Constraint
from engine.distributions.parameters import sum_rightmost
from engine.ops.factories.filled import zeros_like
from engine.tensor import Tensor


class Transform:
    """Maps ``domain`` to ``codomain``; subclasses give ``_call``, ``_inverse`` and ``log_abs_det_jacobian``.

    With ``cache_size=1`` the last pair (x, y) is kept, so that the inverse of what was just mapped is exact.

    Raises:
        ValueError: a cache of more than one pair.
    """

    domain: Any
    codomain: Any
    bijective: Any = False

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._last: tuple[Any, Any] = (None, None)

    @property
    def event_dim(self) -> int:
        """How many dimensions make one value, before and after.

        Raises:
            ValueError: not the same number.
        """
        if self.domain.event_dim != self.codomain.event_dim:
            raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")
        return int(self.domain.event_dim)

    @property
    def sign(self) -> Any:
        """1 where it rises, −1 where it falls.

        Raises:
            NotImplementedError: it does neither everywhere, or maps more than single numbers.
        """
        raise NotImplementedError

    @property
    def inv(self) -> Transform:
        """The inverse."""
        return Inverse(self)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform with a cache."""
        if self._cache_size == cache_size:
            return self
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, _cache_size=cache_size, _last=(None, None))
        return twin

    def __call__(self, x: Any) -> Any:
        """Maps ``x``."""
        if self._cache_size and x is self._last[0]:
            return self._last[1]
        y = self._call(x)
        if self._cache_size:
            self._last = x, y
        return y

    def _inv_call(self, y: Any) -> Any:
        if self._cache_size and y is self._last[1]:
            return self._last[0]
        x = self._inverse(y)
        if self._cache_size:
            self._last = x, y
        return x

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """ln |dy / dx|, one number per value."""
        raise NotImplementedError

    def forward_shape(self, shape: Any) -> Any:
        """The shape of ``self(x)`` for an ``x`` of this shape."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """The shape of ``self.inv(y)`` for a ``y`` of this shape."""
        return shape

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and type(self).__init__ is Transform.__init__

    __hash__ = None  # type: ignore[assignment]  # as Python says that there is none

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Inverse(Transform):
    """A bijective transform read backwards."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    domain = property(lambda self: self._inv.codomain)
    codomain = property(lambda self: self._inv.domain)
    bijective = property(lambda self: self._inv.bijective)
    sign = property(lambda self: self._inv.sign)
    inv = property(lambda self: self._inv)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The inverse of the transform with a cache."""
        return self._inv.with_cache(cache_size).inv

    def __call__(self, x: Any) -> Any:
        """Undoes the transform."""
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The negative of the transform's."""
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Any:
        """The transform's inverse shape."""
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        """The transform's forward shape."""
        return self._inv.forward_shape(shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inverse) and self._inv == other._inv

    __hash__ = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"


Inverse.__name__ = "_InverseTransform"


def widened(constraint: Constraint, event_dim: int) -> Constraint:
    """The constraint for values of ``event_dim`` dimensions."""
    extra = event_dim - constraint.event_dim
    return constraints.independent(constraint, extra) if extra > 0 else constraint


class ComposeTransform(Transform):
    """One transform after the other."""

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else list(parts)

    @property
    def domain(self) -> Any:
        """What the first part takes, with as many dimensions as the later parts look at together."""
        if not self.parts:
            return constraints.real
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim += part.domain.event_dim - part.codomain.event_dim
            event_dim = max(event_dim, part.domain.event_dim)
        return widened(self.parts[0].domain, event_dim)

    @property
    def codomain(self) -> Any:
        """What the last part gives, with as many dimensions as the earlier parts look at together."""
        if not self.parts:
            return constraints.real
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim += part.codomain.event_dim - part.domain.event_dim
            event_dim = max(event_dim, part.codomain.event_dim)
        return widened(self.parts[-1].codomain, event_dim)

    bijective = property(lambda self: all(part.bijective for part in self.parts))

    @property
    def sign(self) -> Any:
        """Whether the whole rises or falls."""
        sign: Any = 1
        for part in self.parts:
            sign = sign * part.sign
        return sign

    @property
    def inv(self) -> Transform:
        """The inverse parts in reverse."""
        return ComposeTransform([part.inv for part in reversed(self.parts)])

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The parts with caches."""
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size)

    def __call__(self, x: Any) -> Any:
        """All parts in order."""
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The sum of the parts'."""
        if not self.parts:
            return zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        event_dim, terms = self.domain.event_dim, []
        for part, before, after in zip(self.parts, values[:-1], values[1:], strict=True):
            terms.append(sum_rightmost(part.log_abs_det_jacobian(before, after), event_dim - part.domain.event_dim))
            event_dim += part.codomain.event_dim - part.domain.event_dim
        total: Tensor = terms[0]
        for term in terms[1:]:
            total = total + term
        return total

    def forward_shape(self, shape: Any) -> Any:
        """All parts in order."""
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """All parts in reverse."""
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = None

    def __repr__(self) -> str:
        return "ComposeTransform(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"
