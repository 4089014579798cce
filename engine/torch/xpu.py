"""``torch.xpu``: no such device."""

from __future__ import annotations

from engine.torch.missing import module_getattr


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing to seed."""


def empty_cache() -> None:
    """Nothing to empty."""


__getattr__ = module_getattr("torch.xpu", globals())
