"""``torch.set_printoptions`` and the options it sets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class PrintOptions:
    """PyTorch's defaults.

    precision: digits after the point; threshold: more elements than this are summarised; edgeitems: how many a summary
    shows at each end of a dimension; linewidth: where lines break; sci_mode: scientific notation, None leaves the
    choice to the values.
    """

    __slots__ = ("edgeitems", "linewidth", "precision", "sci_mode", "threshold")

    def __init__(self) -> None:
        self.precision: int = 4
        self.threshold: float = 1000
        self.edgeitems: int = 3
        self.linewidth: int = 80
        self.sci_mode: bool | None = None

    def __repr__(self) -> str:
        return f"__PrinterOptions({', '.join(f'{name}={value}' for name, value in get_printoptions().items())})"


options = PrintOptions()

_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Changes the options named, after a ``profile`` (``default``, ``short``, ``full``) if one is named.

    ``sci_mode`` is set at every call: leaving it out puts it back to None, as in PyTorch.
    """
    chosen = dict(_PROFILES.get(profile, {})) if profile is not None else {}
    named = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen.update({name: value for name, value in named.items() if value is not None})
    for name, value in chosen.items():
        setattr(options, name, value)
    options.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The current options, fit for ``set_printoptions(**…)``."""
    return {name: getattr(options, name) for name in ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")}


@contextmanager
def printoptions(**changes: Any) -> Iterator[None]:
    """`set_printoptions` within a ``with`` block."""
    before = get_printoptions()
    set_printoptions(**changes)
    try:
        yield
    finally:
        set_printoptions(**before)
