"""``torch.nn.utils.skip_init``: a layer made without its initialisation."""

from __future__ import annotations

import inspect
from typing import Any

from engine.nn.module import Module
from engine.ops.random.state import default_generator


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Module:
    """Makes a module without initialising its parameters (they are zeros here; in PyTorch, whatever memory held).

    No random number is drawn, so the generator stays where it was.

    Raises:
        RuntimeError: not a module's class, or one that takes no ``device``.
    """
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
