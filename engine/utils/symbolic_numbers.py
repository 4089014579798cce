"""``torch.sym_max`` and kin: arithmetic that PyTorch's compiler follows. Nothing is compiled here, so it is Python's."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any


def sym_max(a: Any, b: Any) -> Any:
    """The larger one; a float if either is."""
    return float(max(a, b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The smaller one; a float if either is."""
    return float(min(a, b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)


def sym_int(a: float) -> int:
    """Towards zero."""
    return math.trunc(a)


def sym_float(a: Any) -> float:
    """As a float."""
    return float(a)


def sym_not(a: Any) -> bool:
    """The contrary."""
    return not a


def sym_ite(b: bool, t: Any, f: Any) -> Any:
    """``t`` if ``b``, else ``f``."""
    return t if b else f


def sym_sum(args: Iterable[Any]) -> Any:
    """All together."""
    return sum(args)
