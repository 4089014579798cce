"""Spectral normalisation, the old way: a hook that recomputes the weight before every call."""

from __future__ import annotations

from typing import Any

from engine.autograd.modes import no_grad
from engine.ops.core.catalogue import TABLES
from engine.tensor import Parameter, Tensor


class SpectralNorm:
    """w = w / σ(w), σ found by power iteration from two vectors kept as buffers (Miyato et al. 2018).

    Raises:
        ValueError: no iteration.
    """

    __module__ = "torch.nn.utils.spectral_norm"

    _version = 1
    """Of what is saved: the first had kept the normalised weight instead of the vector v."""

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

    def vector_of(self, matrix: Tensor, u: Tensor, sigma: Tensor) -> Tensor:
        """The v that gives ``u`` in the next iteration and σ = uᵀ W v, by the pseudoinverse of Wᵀ W."""
        linalg, transposed = TABLES["linalg"], matrix.t()
        pseudo_inverse = linalg["pinv"](transposed.mm(matrix))
        v: Tensor = linalg["multi_dot"]([pseudo_inverse, transposed, u.unsqueeze(1)]).squeeze(1)
        return v.mul_(sigma / u.dot(matrix.mv(v)))

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


class SpectralNormStateDictHook:
    """Notes the version in the metadata of what is saved."""

    __module__ = "torch.nn.utils.spectral_norm"

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Any, state_dict: Any, prefix: str, local_metadata: Any) -> None:
        """Called after saving."""
        versions = local_metadata.setdefault("spectral_norm", {})
        key = f"{self.fn.name}.version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


class SpectralNormLoadStateDictPreHook:
    """Finds v for what was saved before there was a version: from the weight, the normalised weight and u."""

    __module__ = "torch.nn.utils.spectral_norm"

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str], *rest: Any
    ) -> None:
        """Called before loading."""
        versions = local_metadata.get("spectral_norm", {})
        key = prefix + self.fn.name
        if f"{self.fn.name}.version" in versions or (
            key not in state_dict and all(key + part in state_dict for part in ("_orig", "_u", "_v"))
        ):
            return
        missing = [name for name in (f"{key}_orig", key, f"{key}_u") if name not in state_dict]
        if missing:
            missing_keys += missing if strict else []
            return
        with no_grad():
            original = state_dict[f"{key}_orig"]
            sigma = (original / state_dict.pop(key)).mean()
            matrix = self.fn.reshape_weight_to_matrix(original)
            state_dict[f"{key}_v"] = self.fn.vector_of(matrix, state_dict[f"{key}_u"], sigma)


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
    module._register_state_dict_hook(SpectralNormStateDictHook(made))
    module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(made))
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
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for key, hook in module._state_dict_hooks.items():
        if isinstance(hook, SpectralNormStateDictHook) and hook.fn.name == name:
            del module._state_dict_hooks[key]
            break
    return module
