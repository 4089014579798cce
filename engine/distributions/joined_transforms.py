"""`CatTransform` and `StackTransform`: other transforms for the parts of a value along one dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.distributions import constraints
from engine.distributions.parameters import sum_rightmost
from engine.distributions.transform import Transform
from engine.ops.layout.joining import cat, stack
from engine.tensor import Tensor


def checked_transforms(tseq: Sequence[Any], cache_size: int) -> list[Transform]:
    """The transforms, with caches if asked.

    Raises:
        AssertionError: something else among them.
    """
    if not all(isinstance(each, Transform) for each in tseq):
        raise AssertionError("All elements of tseq must be Transform instances")
    return [each.with_cache(cache_size) for each in tseq] if cache_size else list(tseq)


def require_length(name: str, value: Tensor, dim: int, length: int, whose: str) -> None:
    """Raises AssertionError: the value has no such dimension, or is not as long along it as the transforms together."""
    if not -value.dim() <= dim < value.dim():
        raise AssertionError(f"dim {dim} out of range for tensor with {value.dim()} dimensions")
    if value.size(dim) != length:
        raise AssertionError(f"{name}.size({dim}) = {value.size(dim)} must equal {whose} {length}")


class CatTransform(Transform):
    """The next ``lengths[i]`` places along ``dim`` are the i-th transform's.

    Raises:
        AssertionError: another number of lengths than of transforms.
    """

    def __init__(
        self, tseq: Sequence[Any], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        self.transforms = checked_transforms(tseq, cache_size)
        super().__init__(cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match tseq ({len(self.transforms)})")
        self.dim = dim

    length = property(lambda self: sum(self.lengths))
    bijective = property(lambda self: all(each.bijective for each in self.transforms))
    domain = property(lambda self: constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths))
    codomain = property(lambda self: constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths))

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The transforms with caches."""
        same = self._cache_size == cache_size
        return self if same else CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _parts(self, name: str, value: Tensor) -> list[Tensor]:
        require_length(name, value, self.dim, self.length, "length")
        starts = [sum(self.lengths[:place]) for place in range(len(self.lengths))]
        return [value.narrow(self.dim, start, n) for start, n in zip(starts, self.lengths, strict=True)]

    def _call(self, x: Any) -> Any:
        return cat([each(part) for each, part in zip(self.transforms, self._parts("x", x), strict=True)], self.dim)

    def _inverse(self, y: Any) -> Any:
        return cat([each.inv(part) for each, part in zip(self.transforms, self._parts("y", y), strict=True)], self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Each part's; added up if ``dim`` belongs to one value."""
        terms = []
        for each, before, after in zip(self.transforms, self._parts("x", x), self._parts("y", y), strict=True):
            term = each.log_abs_det_jacobian(before, after)
            terms.append(sum_rightmost(term, self.event_dim - each.event_dim))
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        return cat(terms, dim + self.event_dim) if dim + self.event_dim < 0 else sum(terms)


class StackTransform(Transform):
    """The i-th place along ``dim`` is the i-th transform's."""

    def __init__(self, tseq: Sequence[Any], dim: int = 0, cache_size: int = 0) -> None:
        self.transforms = checked_transforms(tseq, cache_size)
        super().__init__(cache_size)
        self.dim = dim

    bijective = property(lambda self: all(each.bijective for each in self.transforms))
    domain = property(lambda self: constraints.stack([each.domain for each in self.transforms], self.dim))
    codomain = property(lambda self: constraints.stack([each.codomain for each in self.transforms], self.dim))

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The transforms with caches."""
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _places(self, name: str, value: Tensor) -> list[Tensor]:
        require_length(name, value, self.dim, len(self.transforms), "len(transforms)")
        return [value.select(self.dim, place) for place in range(len(self.transforms))]

    def _call(self, x: Any) -> Any:
        return stack([each(part) for each, part in zip(self.transforms, self._places("x", x), strict=True)], self.dim)

    def _inverse(self, y: Any) -> Any:
        places = self._places("y", y)
        return stack([each.inv(part) for each, part in zip(self.transforms, places, strict=True)], self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Each place's."""
        pairs = zip(self.transforms, self._places("x", x), self._places("y", y), strict=True)
        return stack([each.log_abs_det_jacobian(before, after) for each, before, after in pairs], self.dim)
