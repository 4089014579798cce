"""Modules for ``torch.func``: many of one kind as one, and batch norms that keep no running average."""

from __future__ import annotations

from typing import Any

from engine.nn.module import Module
from engine.nn.normalisation import _BatchNorm
from engine.ops.catalogue import TABLES
from engine.tensor import Tensor


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Parameters and buffers of several models of one class, stacked along a new first dimension: to `vmap` over them.

    Raises:
        RuntimeError: no model, different classes, or some training and some not.
    """
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if any(model.training != models[0].training for model in models):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(model) is not type(models[0]) for model in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return stacked(parameters, "parameters"), stacked(buffers, "buffers")


def stacked(states: list[dict[str, Any]], what: str) -> dict[str, Tensor]:
    """One stack per name; leaves again, where all were."""
    stack = TABLES["torch"]["stack"]
    made = {}
    for name in states[0]:
        tensors = [state[name] for state in states]
        if all(tensor.is_leaf for tensor in tensors):
            if any(tensor.requires_grad != tensors[0].requires_grad for tensor in tensors):
                raise RuntimeError(f"Expected {what} {name} to have the same .requires_grad for each model")
            made[name] = stack([tensor.detach() for tensor in tensors]).requires_grad_(tensors[0].requires_grad)
        else:
            made[name] = stack(tensors)
    return made


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Stops every batch norm below ``root`` from keeping running averages, in place."""
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Module:
    """Makes a module without initialising its parameters (they are zeros here; in PyTorch, whatever memory held).

    No random number is drawn, so the generator stays where it was.

    Raises:
        RuntimeError: not a module's class, or one that takes no ``device``.
    """
    import inspect

    from engine.ops.random_state import default_generator

    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    before = default_generator.get_state()
    module: Module = module_cls(*args, **kwargs)
    default_generator.set_state(before)
    for parameter in module.parameters():
        parameter.detach().zero_()
    return module
