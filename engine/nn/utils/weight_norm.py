"""Weight normalisation, the old way: a hook that recomputes the weight before every call."""

from __future__ import annotations

import warnings
from typing import Any

from engine.ops.core.catalogue import TABLES
from engine.tensor import Parameter, Tensor


class WeightNorm:
    """w = g · v / ‖v‖ (Salimans & Kingma 2016)."""

    __module__ = "torch.nn.utils.weight_norm"

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Tensor:
        """The weight from its two parts."""
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        weight: Tensor = TABLES["torch"]["_weight_norm"](v, g, self.dim)
        return weight

    def __call__(self, module: Any, inputs: Any) -> None:
        """The hook before ``forward``."""
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Replaces a parameter by its length ``<name>_g`` and direction ``<name>_v``.

    Raises:
        RuntimeError: it is normalised already.
    """
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, WeightNorm) and hook.name == name:
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    made = WeightNorm(name, dim)
    weight = getattr(module, name)
    del module._parameters[name]
    module.register_parameter(f"{name}_g", Parameter(TABLES["torch"]["norm_except_dim"](weight, 2, made.dim).data))
    module.register_parameter(f"{name}_v", Parameter(weight.data))
    setattr(module, name, made.compute_weight(module))
    module.register_forward_pre_hook(made)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Puts the parameter back.

    Raises:
        ValueError: it is not normalised.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            weight = hook.compute_weight(module)
            delattr(module, name)
            del module._parameters[f"{name}_g"]
            del module._parameters[f"{name}_v"]
            setattr(module, name, Parameter(weight.data))
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
