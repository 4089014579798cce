"""Programs of one line, as people type them into a console, and what each answers: its last value or its error, word by word.

They stand in ``tests/oracle/lines``, a file per topic. Both sides use this module, so it imports neither.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import warnings
from types import ModuleType
from typing import Any

import numpy as np

from tests.oracle.program_tables import lines_by_file


def topics() -> dict[str, list[str]]:
    """The programs by topic."""
    return lines_by_file("lines")


def names(torch: ModuleType) -> dict[str, Any]:
    """What a line may use without making it."""
    return {
        "__name__": "__main__", "torch": torch, "np": np, "nn": torch.nn, "F": torch.nn.functional,
        "T": torch.tensor, "R": torch.randn, "x": torch.arange(6.0).reshape(2, 3), "i": torch.arange(6).reshape(2, 3),
        "v": torch.tensor([1.0, 2.0, 3.0]), "g": torch.tensor([1.0, 2.0, 3.0], requires_grad=True),
        "b": torch.tensor([True, False, True]),
    }  # fmt: skip


def outcome(line: str, torch: ModuleType) -> str:
    """What is printed, then the value of the last expression, or the error's type and message."""
    torch.manual_seed(0)
    tree = ast.parse(line)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None  # type: ignore[attr-defined]
    namespace, printed = names(torch), io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(tree, "<line>", "exec"), namespace)
            value = repr(eval(compile(last, "<line>", "eval"), namespace)) if last is not None else ""
    except Exception as error:
        value = f"{type(error).__name__}: {error}"
    return re.sub(r"0x[0-9a-f]+", "0x…", printed.getvalue() + value)
