"""``torch.backends.mkldnn``: oneDNN, which is not here."""

from __future__ import annotations


def is_available() -> bool:
    """False."""
    return False


enabled = True
