"""Ready-made parametrizations: weight norm, spectral norm, orthogonal."""

from __future__ import annotations

from typing import Any

from engine.autograd.modes import no_grad
from engine.nn.module import Module
from engine.nn.utils.parametrize import register_parametrization
from engine.nn.utils.weight_norm import norm_except
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


class _WeightNorm(Module):
    """w = g · v / ‖v‖."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Any:
        """The weight."""
        return weight_v * (weight_g / norm_except(weight_v, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Length and direction."""
        return norm_except(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Lengths and directions learn apart (Salimans & Kingma 2016)."""
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    return module


class _SpectralNorm(Module):
    """Divides by the largest singular value, found by power iteration (Miyato et al. 2018)."""

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if dim >= weight.ndim or dim < -weight.ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{weight.ndim}, {weight.ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + weight.ndim
        self.eps = eps
        if weight.ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight)
            rows, columns = matrix.shape
            u = matrix.new_empty(rows).normal_(0, 1)
            v = matrix.new_empty(columns).normal_(0, 1)
            normalize = TABLES["functional"]["normalize"]
            self.register_buffer("_u", normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _matrix(self, weight: Tensor) -> Tensor:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.ndim) if d != self.dim))
        return weight.flatten(1)

    def _power_method(self, matrix: Tensor, iterations: int) -> None:
        normalize = TABLES["functional"]["normalize"]
        with no_grad():
            for _ in range(iterations):
                self._u = normalize(matrix.mv(self._v), dim=0, eps=self.eps)
                self._v = normalize(matrix.H.mv(self._u), dim=0, eps=self.eps)

    def forward(self, weight: Tensor) -> Any:
        """The weight with largest singular value one; one more power iteration while training."""
        if weight.ndim == 1:
            return TABLES["functional"]["normalize"](weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / TABLES["torch"]["vdot"](u, matrix.mv(v))

    def right_inverse(self, value: Tensor) -> Tensor:
        """Takes the weight as it is."""
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Keeps the largest singular value at one."""
    weight = getattr(module, name)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module
