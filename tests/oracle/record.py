"""Asks real PyTorch about every table of programs: run with a Python that has torch 2.13.0.

python -m tests.oracle.record                     # all of `RECORDINGS`
python -m tests.oracle.record creation shapes     # those
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import torch

from tests.oracle import (
    creation_cases,
    data_cases,
    derivatives,
    distributions_cases,
    functional_cases,
    golden,
    matrix_cases,
    module_cases,
    operator_cases,
    optimizer_cases,
    outcome,
    program_outcome,
    shape_cases,
    tensor_cases,
    training,
)

RECORDINGS: dict[str, tuple[Iterable[str], Callable[[str, Any], Any]]] = {
    "creation": (creation_cases.EXPRESSIONS, outcome.outcome),
    "data": (data_cases.EXPRESSIONS, outcome.outcome),
    "distributions": (distributions_cases.EXPRESSIONS, outcome.outcome),
    "functional": (functional_cases.PROGRAMS, training.outcome),
    "matrices": (matrix_cases.PROGRAMS, program_outcome.observe),
    "modules": (module_cases.PROGRAMS, training.outcome),
    "operators": (operator_cases.EXPRESSIONS, derivatives.derived),
    "optimizers": (optimizer_cases.PROGRAMS, training.outcome),
    "shapes": (shape_cases.PROGRAMS, program_outcome.observe),
    "tensors": (tensor_cases.EXPRESSIONS, outcome.outcome),
}
"""The programs, and how each is observed."""


def record(name: str) -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    programs, observe = RECORDINGS[name]
    recorded = {program: observe(program, torch) for program in programs}
    golden.save(golden.lines(recorded) + "\n", str(golden.FOLDER / f"{name}.json"))
    print(f"{name}: {len(recorded)} programs run by torch {torch.__version__}")


def main(names: list[str]) -> None:
    """Each recording in a process of its own, because programs change PyTorch's defaults."""
    if len(names) == 1:
        record(names[0])
    else:
        for name in names or RECORDINGS:
            subprocess.run([sys.executable, "-m", "tests.oracle.record", name], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
