"""``torch.backends.mkldnn``: oneDNN, which is not here."""

from __future__ import annotations

from contextlib import AbstractContextManager

from engine.utils.switches import set_inside

enabled = True
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """False."""
    return False


def flags(enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True) -> AbstractContextManager[None]:
    """Sets the switches inside the ``with``."""
    return set_inside(globals(), enabled=enabled, deterministic=deterministic, allow_tf32=allow_tf32)
