"""``torch.cpu``: the one device there is."""

from __future__ import annotations

from typing import Any

from engine.torch.cpu import amp as amp
from engine.torch.missing import module_getattr


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """1."""
    return 1


def current_device() -> str:
    """The only device, by name."""
    return "cpu"


def synchronize(device: Any = None) -> None:
    """Nothing to wait for."""


__getattr__ = module_getattr("torch.cpu", globals())
