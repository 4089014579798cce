"""``torch.backends.mkldnn``: oneDNN, which is not here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

enabled = True
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """False."""
    return False


@contextmanager
def flags(enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True) -> Iterator[None]:
    """Sets the switches inside the ``with``."""
    wanted = {"enabled": enabled, "deterministic": deterministic, "allow_tf32": allow_tf32}
    before = {name: globals()[name] for name in wanted}
    globals().update(wanted)
    try:
        yield
    finally:
        globals().update(before)
