"""Records what real PyTorch does with the labelled and the sound snippets, as ``tests/golden/why.json``.

    python -m tests.oracle.record_why tests/golden/why.json

Per snippet: how it ended, which gradients its leaves have, and, of the tensor that the label is about, what gradient and
whether a grad_fn it has when the question is asked, and whether it holds finite numbers only.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

import torch

from tests.engine.trace.why.cases import cases
from tests.engine.trace.why.sound import sound


def run(code: str) -> tuple[dict[str, Any], list[Any] | None]:
    """The snippet's variables at its end, and [class, line, beginning of the message] of its error."""
    torch.set_grad_enabled(True)
    space: dict[str, Any] = {"__name__": "__main__"}
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(code, "snippet.py", "exec"), space)
    except SyntaxError as error:
        return space, [type(error).__name__, error.lineno, str(error.msg)[:60]]
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "snippet.py"]
        return space, [type(error).__name__, lines[-1], str(error)[:60]]
    return space, None


def observe(code: str, name: str = "", asked: int | None = None) -> dict[str, Any]:
    """What is recorded of one snippet; the tensor is looked at after the line ``asked``, or at the end."""
    space, error = run(code)
    seen: dict[str, Any] = {"error": error}
    seen["grads"] = {
        key: [round(x, 5) for x in value.grad.flatten().tolist()]
        for key, value in space.items()
        if isinstance(value, torch.Tensor) and value.is_leaf and value.grad is not None and value.grad.numel() <= 64
    }
    if asked is not None:
        space, error = run("\n".join(code.split("\n")[:asked]))
    if name and error is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tensor = eval(name, space)
            seen["grad"] = kind(tensor.grad)
        seen["grad_fn"], seen["finite"] = tensor.grad_fn is not None, bool(tensor.isfinite().all())
    return seen


def kind(gradient: torch.Tensor | None) -> str:
    """``none``, ``zero``, ``not finite`` or ``some``."""
    if gradient is None:
        return "none"
    return "not finite" if not gradient.isfinite().all() else "some" if gradient.any() else "zero"


def record() -> dict[str, Any]:
    torch.set_num_threads(1)
    recorded = {}
    for case in cases():
        recorded[case.id] = observe(case.code, case.name, case.asked)
    for name, code in sound().items():
        recorded[name] = observe(code)
    return recorded


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(record(), indent=0, ensure_ascii=False) + "\n")
