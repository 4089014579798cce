"""``torch.set_deterministic_debug_mode``: a coarser spelling of ``torch.use_deterministic_algorithms``."""

from __future__ import annotations

from engine.ops.tensors.switches import switches

MODES = ("default", "warn", "error")
"""By number: nothing, a warning, an error where an algorithm would not repeat itself."""


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Raises RuntimeError: no such mode."""
    if isinstance(debug_mode, str):
        if debug_mode not in MODES:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
            )
        debug_mode = MODES.index(debug_mode)
    if debug_mode not in range(len(MODES)):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    switches.deterministic, switches.warn_only = debug_mode > 0, debug_mode == 1


def get_deterministic_debug_mode() -> int:
    """The mode's number."""
    return (1 if switches.warn_only else 2) if switches.deterministic else 0
