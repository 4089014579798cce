"""Exponential families: densities h(x) · e^(θ · t(x) − A(θ)), whose entropy and divergence follow from A alone."""

from __future__ import annotations

from typing import Any

from engine.autograd.backward import grad
from engine.distributions.distribution import Distribution
from engine.tensor import Tensor


class ExponentialFamily(Distribution):
    """A subclass may state its natural parameters θ, the log-normaliser A, and the expected −ln h(x).

    By themselves they give the entropy, and the divergence from another member of the family (Nielsen & Nock 2010).
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        """θ."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        """A(θ)."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        """The expected ln h(x)."""
        raise NotImplementedError

    def _moments(self) -> tuple[list[Tensor], Tensor, tuple[Tensor, ...]]:
        """θ outside the graph, A(θ), and its gradient: the expected t(x)."""
        parameters = [parameter.detach().requires_grad_() for parameter in self._natural_params]
        log_normalizer = self._log_normalizer(*parameters)
        return parameters, log_normalizer, grad(log_normalizer.sum(), parameters, create_graph=True)

    def entropy(self) -> Tensor:
        """A(θ) − θ · ∇A(θ), less the expected ln h(x)."""
        carrier = self._mean_carrier_measure
        parameters, log_normalizer, expected = self._moments()
        entropy = -carrier + log_normalizer
        for parameter, moment in zip(parameters, expected, strict=True):
            entropy = entropy - (parameter * moment).reshape(*self._batch_shape, -1).sum(-1)
        return entropy
