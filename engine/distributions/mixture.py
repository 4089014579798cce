"""A mixture: first a component is chosen, then its distribution gives the value."""

from __future__ import annotations

from typing import Any

from engine.autograd.modes import no_grad
from engine.distributions import constraints
from engine.distributions.discrete import Categorical
from engine.distributions.distribution import Distribution
from engine.tensor import Tensor


class MixtureSameFamily(Distribution):
    """Components of one family: the last batch dimension of ``component_distribution`` is what the mixture chooses from.

    Raises:
        ValueError: the mixture is no `Categorical`, or the shapes do not fit.
    """

    def __init__(
        self, mixture_distribution: Categorical, component_distribution: Distribution, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        chosen, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        if any(1 not in (a, b) and a != b for a, b in zip(reversed(chosen), reversed(batch), strict=False)):
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({chosen}) is not compatible with "
                f"`component_distribution.batch_shape`({batch})"
            )
        count, offered = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if count != offered:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({offered})"
            )
        self.mixture_distribution = mixture_distribution
        self.component_distribution = component_distribution
        self._event_ndims = len(component_distribution.event_shape)
        self._begin(batch, component_distribution.event_shape, validate_args)

    _batched = ("mixture_distribution",)
    support = constraints.dependent_property(lambda self: constraints.mixture(self.component_distribution.support))

    def _pad(self, x: Any) -> Any:
        return x.unsqueeze(-1 - self._event_ndims)

    def _weights(self) -> Any:
        """The mixture's probabilities, with a dimension for each of the event's."""
        probs = self.mixture_distribution.probs
        batch = len(self.mixture_distribution.batch_shape)
        more = 0 if batch == 1 else len(self._batch_shape) - batch
        return probs.reshape(*probs.shape[:-1], *(1,) * more, probs.shape[-1], *(1,) * self._event_ndims)

    @property
    def mean(self) -> Tensor:
        """The components' means, weighted."""
        weighted: Tensor = self._weights() * self.component_distribution.mean
        return weighted.sum(dim=-1 - self._event_ndims)

    @property
    def variance(self) -> Tensor:
        """The expected variance plus the variance of the means."""
        weights, dim = self._weights(), -1 - self._event_ndims
        within = (weights * self.component_distribution.variance).sum(dim=dim)
        between = (weights * (self.component_distribution.mean - self._pad(self.mean)).pow(2.0)).sum(dim=dim)
        return within + between

    def cdf(self, x: Tensor) -> Tensor:
        """The components', weighted."""
        return (self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs).sum(dim=-1)

    def log_prob(self, x: Tensor) -> Tensor:
        """ln Σ e^(ln weight + the component's)."""
        self._validate_sample(x)
        densities = self.component_distribution.log_prob(self._pad(x))
        weights = self.mixture_distribution.logits.log_softmax(dim=-1)
        return (densities + weights).logsumexp(dim=-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """A sample of every component, of which the chosen ones are kept."""
        with no_grad():
            place = len(tuple(sample_shape)) + len(self._batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            offered = self.component_distribution.sample(sample_shape)
            index = chosen.reshape(*chosen.shape, *(1,) * (self._event_ndims + 1))
            index = index.repeat(*(1,) * chosen.dim(), 1, *self._event_shape)
            return offered.gather(place, index).squeeze(place)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same with both parts expanded."""
        twin, components = super().expand(batch_shape), self.component_distribution
        twin.component_distribution = components.expand(twin.batch_shape + components.batch_shape[-1:])
        return twin

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
