"""A distribution whose values are sent through transforms."""

from __future__ import annotations

import copy
from typing import Any

from engine.autograd.modes import no_grad
from engine.distributions import constraints
from engine.distributions.distribution import Distribution
from engine.distributions.independent import Independent
from engine.distributions.parameters import sum_rightmost
from engine.distributions.transform import ComposeTransform, Transform, widened
from engine.size import Size
from engine.tensor import Tensor


class TransformedDistribution(Distribution):
    """Values of ``base_distribution`` after ``transforms`` in order; densities change with the stretch of volume.

    Raises:
        ValueError: something else than transforms, or a base with too few dimensions for them.
    """

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | list[Transform],
        validate_args: bool | None = None,
    ) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        if not all(isinstance(transform, Transform) for transform in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms
        shape = base_distribution.batch_shape + base_distribution.event_shape
        event_dim = len(base_distribution.event_shape)
        whole = ComposeTransform(transforms)
        if len(shape) < whole.domain.event_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {whole.domain.event_dim}, but got {shape}."
            )
        after = whole.forward_shape(shape)
        expanded = whole.inverse_shape(after)
        if tuple(shape) != tuple(expanded):
            base_distribution = base_distribution.expand(expanded[: len(expanded) - event_dim])
        joined = whole.domain.event_dim - event_dim
        self.base_dist: Any = Independent(base_distribution, joined) if joined > 0 else base_distribution
        event_dim = max(whole.codomain.event_dim, event_dim + whole.codomain.event_dim - whole.domain.event_dim)
        self._begin(after[: len(after) - event_dim], after[len(after) - event_dim :], validate_args)

    has_rsample = property(lambda self: self.base_dist.has_rsample)

    @constraints.dependent_property
    def support(self) -> Any:
        """What the last transform gives."""
        if not self.transforms:
            return self.base_dist.support
        return widened(self.transforms[-1].codomain, len(self._event_shape))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """The base's samples, transformed, outside the graph."""
        with no_grad():
            x = self.base_dist.sample(sample_shape)
            for transform in self.transforms:
                x = transform(x)
            return x

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """The base's reparametrised samples, transformed."""
        x: Tensor = self.base_dist.rsample(sample_shape)
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        """The base's at the inverse, less ln |dy / dx| of every transform."""
        self._validate_sample(value)
        event_dim = len(self._event_shape)
        log_prob: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            stretch = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - sum_rightmost(stretch, event_dim - transform.domain.event_dim)
            y = x
        result: Tensor = log_prob + sum_rightmost(
            self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape)
        )
        return result

    def _rising(self, value: Any) -> Any:
        """1 − value, if the transforms fall."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        """The base's at the inverse."""
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        result: Tensor = self._rising(self.base_dist.cdf(value))
        return result

    def icdf(self, value: Tensor) -> Tensor:
        """The base's, transformed."""
        result: Tensor = self.base_dist.icdf(self._rising(value))
        for transform in self.transforms:
            result = transform(result)
        return result

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same with an expanded base."""
        twin = copy.copy(self)
        batch = Size(batch_shape)
        shape: Any = batch + self._event_shape
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        twin.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        for name in self.arg_constraints.keys() & self.__dict__.keys():
            twin.__dict__[name] = self.__dict__[name].expand(batch)
        twin._batch_shape = batch
        return twin
