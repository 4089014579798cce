"""``torch.functional``: where PyTorch defines the operators that it writes in Python."""

from __future__ import annotations

import engine.torch as _torch
from engine.torch.addresses import known_modules as _known_modules
from engine.torch.missing import module_getattr as _module_getattr

globals().update({_name: getattr(_torch, _name) for _name in _known_modules()["torch.functional"]})
__getattr__ = _module_getattr("torch.functional", globals())
