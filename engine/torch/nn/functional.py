"""``torch.nn.functional``."""

import importlib as _importlib
from typing import Any as _Any

from engine.nn import functional as _here
from engine.torch.missing import as_spelled as _as_spelled
from engine.torch.missing import module_getattr as _module_getattr

globals().update(_as_spelled("torch.nn.functional", vars(_here)))
_missing = _module_getattr("torch.nn.functional", globals())


def __getattr__(name: str) -> _Any:
    """``F.grad`` is the module ``torch.nn.grad``, which PyTorch's functions import; here it is when it is asked for."""
    return _importlib.import_module("engine.torch.nn.grad") if name == "grad" else _missing(name)
