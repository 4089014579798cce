"""Random correlation matrices, by their Cholesky factors."""

from __future__ import annotations

import math
from typing import Any

from engine.autograd.modes import no_grad
from engine.distributions import constraints
from engine.distributions.distribution import Distribution
from engine.distributions.gamma import Beta
from engine.distributions.parameters import broadcast_all, function_of
from engine.ops.factories.filled import empty
from engine.ops.factories.sequences import arange
from engine.tensor import Tensor
from engine.type_info import finfo


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices (Lewandowski, Kurowicka & Joe 2009); concentration 1 is uniform.

    Raises:
        ValueError: fewer than two dimensions.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        offset = arange(dim - 1, dtype=self.concentration.dtype)
        offset = function_of("torch", "cat")([offset.new_zeros((1,)), offset])
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        self._begin(self.concentration.shape, (dim, dim), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution with its batch dimensions expanded."""
        twin = super().expand(batch_shape)
        twin._beta = self._beta.expand((*batch_shape, self.dim))
        return twin

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Row by row: a direction on the sphere, and how much of the row's unit length it takes (the onion method)."""
        with no_grad():
            part = self._beta.sample(sample_shape).unsqueeze(-1)
            noise = empty(self._extended_shape(sample_shape), dtype=part.dtype).normal_().tril(-1)
            direction = noise / noise.norm(dim=-1, keepdim=True)
            direction[..., 0, :] = 0.0  # the first row has none
            rows: Tensor = part.sqrt() * direction
            rest = (1 - (rows**2).sum(-1)).clamp(min=finfo(rows.dtype).tiny).sqrt()
            rows += function_of("torch", "diag_embed")(rest)
            return rows

    def log_prob(self, value: Any) -> Tensor:
        """Σ (2η − 2 + d − i) ln Lᵢᵢ, less the logarithm of the normalising integral."""
        self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - arange(2, self.dim + 1)
        unnormalized = (order * diagonal.log()).sum(-1)
        others = self.dim - 1
        alpha = self.concentration + 0.5 * others
        denominator = alpha.lgamma() * others
        numerator = function_of("torch", "mvlgamma")(alpha - 0.5, others)
        normalizer = 0.5 * others * math.log(math.pi) + numerator - denominator
        result: Tensor = unnormalized - normalizer
        return result
