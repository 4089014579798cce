"""``torch.cpu.amp``: the older spellings of ``torch.amp`` for the CPU."""

from __future__ import annotations

from typing import Any

from engine import dtype as _dtypes
from engine.optim.grad_scaler import GradScaler as _GradScaler
from engine.transforms.autocast_mode import autocast as _autocast
from engine.transforms.autocast_mode import older_spelling as _older_spelling


class autocast(_autocast):
    """``torch.amp.autocast("cpu", …)``."""

    def __init__(self, enabled: bool = True, dtype: Any = _dtypes.bfloat16, cache_enabled: bool = True) -> None:
        _older_spelling("cpu", "autocast")
        super().__init__("cpu", dtype, enabled, cache_enabled)


class GradScaler(_GradScaler):
    """``torch.amp.GradScaler("cpu", …)``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _older_spelling("cpu", "GradScaler")
        super().__init__("cpu", *args, **kwargs)
