"""What an expression gives, as text that real PyTorch and our engine can both be asked for."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from pathlib import Path
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


def record(expressions: Iterable[str], torch: Any, path: str) -> None:
    """Writes every expression's outcome as JSON."""
    warnings.simplefilter("ignore")
    recorded = {expression: outcome(expression, torch) for expression in expressions}
    Path(path).write_text(json.dumps(recorded, indent=0) + "\n")
    print(f"{len(recorded)} expressions evaluated by torch {torch.__version__}")
