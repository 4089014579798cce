"""``torch.amp.autocast_mode``: where the block is defined in PyTorch."""

from __future__ import annotations

from engine.transforms.autocast_mode import autocast as autocast
from engine.transforms.autocast_mode import custom_bwd as custom_bwd
from engine.transforms.autocast_mode import custom_fwd as custom_fwd
from engine.transforms.autocast_mode import is_autocast_available as is_autocast_available
