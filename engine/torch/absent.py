"""What the namespaces of devices that are not here have in common: ``torch.mps``, ``torch.xpu``."""

from __future__ import annotations


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
