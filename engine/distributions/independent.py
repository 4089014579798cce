"""Some batch dimensions read as dimensions of one value."""

from __future__ import annotations

from typing import Any

from engine.distributions import constraints
from engine.distributions.distribution import Distribution
from engine.distributions.parameters import sum_rightmost
from engine.tensor import Tensor


class Independent(Distribution):
    """The last ``reinterpreted_batch_ndims`` batch dimensions of a distribution as part of its event.

    Raises:
        ValueError: the distribution has fewer batch dimensions.
    """

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        if reinterpreted_batch_ndims > len(base_distribution.batch_shape):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(base_distribution.batch_shape)}"
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        shape = base_distribution.batch_shape + base_distribution.event_shape
        start = len(base_distribution.batch_shape) - reinterpreted_batch_ndims
        self._begin(shape[:start], shape[start:], validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)
    has_enumerate_support = property(
        lambda self: not self.reinterpreted_batch_ndims and self.base_dist.has_enumerate_support
    )
    mean = property(lambda self: self.base_dist.mean)
    mode = property(lambda self: self.base_dist.mode)
    variance = property(lambda self: self.base_dist.variance)

    @constraints.dependent_property
    def support(self) -> Any:
        """The base's, for all event dimensions at once."""
        base, dims = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(base, dims) if dims and base is not None else base

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """The base's samples."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """The base's reparametrised samples."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """The base's, summed over the event."""
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        """The base's, summed over the event."""
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """The base's.

        Raises:
            NotImplementedError: a value is made of several of the base's.
        """
        if self.reinterpreted_batch_ndims:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same with an expanded base."""
        twin = super().expand(batch_shape)
        twin.base_dist = self.base_dist.expand(twin.batch_shape + self._event_shape[: self.reinterpreted_batch_ndims])
        return twin

    def __repr__(self) -> str:
        return f"Independent({self.base_dist!r}, {self.reinterpreted_batch_ndims})"
