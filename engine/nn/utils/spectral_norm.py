"""Spectral normalisation, the old way: a hook that recomputes the weight before every call."""

from __future__ import annotations

from typing import Any

from engine.autograd.modes import no_grad
from engine.ops.core.catalogue import TABLES
from engine.tensor import Parameter, Tensor


class SpectralNorm:
    """w = w / σ(w), σ found by power iteration from two vectors kept as buffers (Miyato et al. 2018)."""

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """Outputs by everything else."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.ndim) if d != self.dim))
        return weight.reshape(weight.shape[0], -1)

    def normalized(self, vector: Tensor) -> Any:
        """The vector at length one."""
        return TABLES["functional"]["normalize"](vector, dim=0, eps=self.eps)

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Tensor:
        """The weight with largest singular value one; the buffers are written in place, the graph keeps copies."""
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(self.normalized(matrix.t().mv(u)))
                    u.copy_(self.normalized(matrix.mv(v)))
                u, v = u.clone(), v.clone()
        scaled: Tensor = weight / TABLES["torch"]["dot"](u, matrix.mv(v))
        return scaled

    def remove(self, module: Any) -> None:
        """Makes the weight as it stands a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for name in (self.name, f"{self.name}_u", f"{self.name}_v", f"{self.name}_orig"):
            delattr(module, name)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        """The hook before ``forward``."""
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Replaces a parameter by ``<name>_orig``, and writes ``<name>`` anew before every call.

    Raises:
        RuntimeError: it is normalised already.
        ValueError: no iteration, or the parameter is None.
    """
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    made = SpectralNorm(name, n_power_iterations, dim, eps)
    weight = module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    with no_grad():
        rows, columns = made.reshape_weight_to_matrix(weight).shape
        u = made.normalized(weight.new_empty(rows).normal_(0, 1))
        v = made.normalized(weight.new_empty(columns).normal_(0, 1))
    del module._parameters[name]
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    module.register_forward_pre_hook(made)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Puts the parameter back.

    Raises:
        ValueError: it is not normalised.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")
