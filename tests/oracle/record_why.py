"""Records what real PyTorch does with the labelled and the sound snippets, as ``tests/golden/why.json``.

    python -m tests.oracle.record_why tests/golden/why.json

Per snippet: how it ended, which gradients its leaves have, and whether the tensor that the label is about has a
gradient and a grad_fn at the end.
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


def observe(code: str, name: str = "") -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "__main__"}
    seen: dict[str, Any] = {"error": None}
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(code, "snippet.py", "exec"), space)
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "snippet.py"]
        seen["error"] = [type(error).__name__, lines[-1], str(error)[:60]]
    seen["grads"] = {
        key: [round(x, 5) for x in value.grad.flatten().tolist()]
        for key, value in space.items()
        if isinstance(value, torch.Tensor) and value.is_leaf and value.grad is not None and value.grad.numel() <= 64
    }
    if name and seen["error"] is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tensor = eval(name, space)
            seen["grad is None"], seen["grad_fn is None"] = tensor.grad is None, tensor.grad_fn is None
    return seen


def record() -> dict[str, Any]:
    torch.set_num_threads(1)
    recorded = {}
    for case in cases():
        torch.set_grad_enabled(True)
        recorded[case.id] = observe(case.code, case.name)
    for name, code in sound().items():
        recorded[name] = observe(code)
    return recorded


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(record(), indent=0, ensure_ascii=False) + "\n")
