"""Modules changed for a purpose: batch norms that keep no running average, layers made without initialisation."""

from __future__ import annotations

from typing import Any

from engine.nn.module import Module
from engine.nn.normalisation import _BatchNorm


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

    from engine.ops.random.state import default_generator

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
