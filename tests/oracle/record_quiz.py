"""Records what names hold after each line of random programs, as ``tests/golden/quiz.json``.

    python -m tests.oracle.record_quiz tests/golden/quiz.json

Per program and statement: every name whose ``grad_fn`` or ``.grad`` is another than before, with both. The questions that are
made from the same programs have to mark these as right.
"""

from __future__ import annotations

import ast
import sys
import warnings
from typing import Any

import torch

from tests.oracle import golden
from tests.oracle.programs import Writer

PROGRAMS = 120


def observe(program: str) -> dict[str, dict[str, Any]]:
    """For each statement's last line what changed: name to [name of its grad_fn, its gradient], None for none.

    A program that raises ends with ``error``: the line and the beginning of the message.
    """
    space: dict[str, Any] = {"torch": torch}
    known: dict[str, Any] = {}
    lines = {}
    for statement in ast.parse(program).body:
        try:
            exec(compile(ast.Module([statement], []), "program", "exec"), space)
        except Exception as error:
            lines["error"] = {"raised": [str(statement.lineno), f"{type(error).__name__}: {error}"[:80]]}
            break
        now = {name: held(value) for name, value in space.items() if isinstance(value, torch.Tensor)}
        lines[str(statement.end_lineno)] = {name: seen for name, seen in now.items() if known.get(name) != seen}
        known = now
    return lines


def held(tensor: Any) -> list[Any]:
    grad = tensor.grad
    made_by = None if tensor.grad_fn is None else tensor.grad_fn.name()
    return [made_by, None if grad is None else [round(x, 6) for x in grad.flatten().tolist()]]


def main(target: str) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    programs = [Writer(seed).program().replace("look(loss)\n", "") for seed in range(PROGRAMS)]
    golden.save(golden.of_release(torch.__version__, {program: observe(program) for program in programs}), target)


if __name__ == "__main__":
    main(sys.argv[1])
