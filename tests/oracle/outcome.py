"""What an expression gives, as text that real PyTorch and our engine can both be asked for."""

from __future__ import annotations

from typing import Any

import numpy as np


def outcome(expression: str, torch: Any) -> str:
    """``repr`` of the value after ``manual_seed(0)``, or the error's type and the first line of its message."""
    torch.manual_seed(0)
    try:
        value = eval(expression, {"torch": torch, "np": np})
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return repr(value)
