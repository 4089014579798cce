"""``torch.nn.utils.prune``: masks over parameters, applied before every call of the module.

Pruning ``weight`` keeps the trained numbers as the parameter ``weight_orig`` and the mask as the buffer ``weight_mask``; before each
``forward`` a hook makes ``weight = weight_mask · weight_orig``, so that a gradient reaches only what is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.nn.utils.pruning_methods import (
    BasePruningMethod,
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    PruningContainer,
    RandomStructured,
    RandomUnstructured,
)
from engine.nn.utils.vectors import parameters_to_vector
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


def identity(module: Any, name: str) -> Any:
    """Names a parameter as if it were pruned."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Prunes single numbers at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: float, importance_scores: Tensor | None = None) -> Any:
    """Prunes the numbers with the smallest absolute value, or the smallest scores."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Prunes channels along ``dim`` at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Any:
    """Prunes the channels along ``dim`` with the smallest Lₙ norm."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    """Prunes where the mask is zero."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: dict[Any, Tensor] | None = None, **kwargs: Any
) -> None:
    """Prunes over all (module, name) pairs at once, as if they were one tensor.

    Raises:
        TypeError: no pairs, or a method that prunes channels.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    pairs, given = list(parameters), importance_scores or {}
    scores = parameters_to_vector([given.get((module, name), getattr(module, name)) for module, name in pairs])
    default_mask = parameters_to_vector(
        [getattr(module, f"{name}_mask", TABLES["torch"]["ones_like"](getattr(module, name))) for module, name in pairs]
    )
    container = PruningContainer(_named(Identity(), "temp"))
    method = _named(pruning_method(**kwargs), "temp")
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for '
            f"the `pruning_method`. Found method {pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    mask, first = container.compute_mask(scores, default_mask), 0
    for module, name in pairs:
        parameter = getattr(module, name)
        custom_from_mask(module, name, mask=mask[first : first + parameter.numel()].view_as(parameter))
        first += parameter.numel()


def _named(method: BasePruningMethod, name: str) -> BasePruningMethod:
    method._tensor_name = name
    return method


def remove(module: Any, name: str) -> Any:
    """Makes pruning permanent: the parameter is itself again, with zeros.

    Raises:
        ValueError: it is not pruned.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Any) -> bool:
    """Whether any tensor of the module, or of one inside it, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod) for inner in module.modules() for hook in inner._forward_pre_hooks.values()
    )


__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
    "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned",
    "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove",
]  # fmt: skip
