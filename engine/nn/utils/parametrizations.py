"""Ready-made parametrizations: weight norm, spectral norm, orthogonal."""

from __future__ import annotations

from typing import Any

from engine import type_info
from engine.autograd.modes import no_grad
from engine.nn.module import Module
from engine.nn.utils.parametrize import register_parametrization
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


class _WeightNorm(Module):
    """w = g · v / ‖v‖."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Any:
        """The weight."""
        return TABLES["torch"]["_weight_norm"](weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Length and direction."""
        return TABLES["torch"]["norm_except_dim"](weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Lengths and directions learn apart (Salimans & Kingma 2016)."""
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def take_older_names(state_dict: Any, prefix: str, *rest: Any) -> None:
        """States that the hook of ``torch.nn.utils.weight_norm`` left can be loaded."""
        parts = {f"{prefix}{name}_{part}": part for part in "gv"}
        if all(key in state_dict for key in parts):
            for number, key in enumerate(parts):
                state_dict[f"{prefix}parametrizations.{name}.original{number}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(take_older_names)
    return module


class _SpectralNorm(Module):
    """Divides by the largest singular value, found by power iteration (Miyato et al. 2018).

    Raises:
        IndexError: no such dimension.
        ValueError: no iteration.
    """

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
    """Keeps the largest singular value at one.

    Raises:
        ValueError: no such tensor.
    """
    weight = getattr(module, name)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module


MAPS = ("matrix_exp", "cayley", "householder")


class _Orthogonal(Module):
    """An orthogonal matrix from a free one, by one of three maps (Lezcano-Casado 2019).

    Raises:
        ValueError: reflections of complex numbers.
    """

    base: Tensor | None

    def __init__(self, weight: Tensor, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        """The orthogonal matrix; a wide one is the transpose of a tall one."""
        linalg, matrices = TABLES["linalg"], TABLES["torch"]
        wide = X.shape[-2] < X.shape[-1]
        free = X.mT if wide else X
        rows, columns = free.shape[-2:]
        if self.orthogonal_map == "householder":
            reflectors = free.tril(-1)
            tau = 2.0 / (1.0 + (reflectors * reflectors).sum(-2))
            result = linalg["householder_product"](reflectors, tau)
            result = result * free.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            lower = free.tril()
            if rows != columns:
                missing = free.new_zeros(rows, rows - columns).expand(*free.shape[:-2], -1, -1)
                lower = matrices["cat"]([lower, missing], -1)
            skew = lower - lower.mH
            if self.orthogonal_map == "matrix_exp":
                result = linalg["matrix_exp"](skew)
            else:
                unit = matrices["eye"](rows, dtype=skew.dtype)
                result = linalg["solve"](unit.add(skew, alpha=-0.5), unit.add(skew, alpha=0.5))
            if rows != columns:
                result = result[..., :columns]
        if hasattr(self, "base"):
            result = self.base @ result
        return result.mT if wide else result

    def right_inverse(self, Q: Tensor) -> Tensor:
        """The free matrix that gives ``Q``, or with a base what gives the base itself.

        Raises:
            ValueError: another shape than the weight had.
            NotImplementedError: a map that is not inverted without a base.
        """
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        with no_grad():
            return self._inverted(Q)

    def _inverted(self, Q: Tensor) -> Tensor:
        linalg, matrices = TABLES["linalg"], TABLES["torch"]
        wide = Q.shape[-2] < Q.shape[-1]
        tall = Q.mT if wide else Q
        rows, columns = tall.shape[-2:]
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            reflectors, tau = matrices["geqrf"](tall)
            reflectors.diagonal(dim1=-2, dim2=-1).sign_()
            reflectors.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
            return reflectors.mT if wide else reflectors
        if rows != columns:
            tall = matrices["cat"]([tall, matrices["randn"](*tall.shape[:-2], rows, rows - columns)], -1)
        if rows == columns and is_orthogonal(tall):
            self.base = tall.clone()
        else:
            reflectors, tau = matrices["geqrf"](tall)
            self.base = linalg["householder_product"](reflectors, tau)
            self.base *= reflectors.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
        start: Tensor = matrices["zeros_like"](Q)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start


def is_orthogonal(matrix: Tensor) -> bool:
    """Whether ``Qᵀ Q`` is the unit matrix, up to ten roundings per row."""
    matrices = TABLES["torch"]
    unit = matrices["eye"](matrix.shape[-1], dtype=matrix.dtype)
    eps = 10.0 * matrix.shape[-2] * type_info.finfo(matrix.dtype).eps
    return bool(matrices["allclose"](matrix.mH @ matrix, unit, atol=eps))


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keeps a matrix orthogonal while it learns.

    Raises:
        ValueError: no such tensor, no matrix, or no such map.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.shape[-2] == weight.shape[-1] or weight.is_complex() else "householder"
    if orthogonal_map not in MAPS:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    register_parametrization(module, name, made, unsafe=True)
    return module
