"""``torch.backends.cudnn``: not here; snippets set these all the same."""

from __future__ import annotations

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """False."""
    return False


def version() -> None:
    """None."""
    return
