"""``torch.accelerator``: there is none."""

from __future__ import annotations

from engine.torch.missing import module_getattr


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """None."""
    return


__getattr__ = module_getattr("torch.accelerator", globals())
