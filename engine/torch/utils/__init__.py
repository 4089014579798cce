"""``torch.utils``."""

import importlib
from typing import Any

from engine.torch.missing import module_getattr
from engine.torch.utils import _mode_utils, _python_dispatch, _pytree, checkpoint, data, weak

__all__ = ["_mode_utils", "_python_dispatch", "_pytree", "checkpoint", "data", "weak"]

_missing = module_getattr("torch.utils", globals())


def __getattr__(name: str) -> Any:
    if name in ("benchmark", "dlpack"):
        return importlib.import_module(f"engine.torch.utils.{name}")
    if name == "swap_tensors":
        return importlib.import_module("engine.ops.tensors.swapping").swap_tensors
    return _missing(name)
