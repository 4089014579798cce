"""``torch.amp``: mixed precision."""

from __future__ import annotations

from engine.optim.grad_scaler import GradScaler as GradScaler
from engine.torch.amp import autocast_mode as autocast_mode
from engine.torch.amp import grad_scaler as grad_scaler
from engine.torch.missing import module_getattr as _module_getattr
from engine.transforms.autocast_mode import autocast as autocast
from engine.transforms.autocast_mode import custom_bwd as custom_bwd
from engine.transforms.autocast_mode import custom_fwd as custom_fwd
from engine.transforms.autocast_mode import is_autocast_available as is_autocast_available

__getattr__ = _module_getattr("torch.amp", globals())
