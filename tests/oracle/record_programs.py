"""Asks real PyTorch about random programs: run with a Python that has torch 2.13.0.

    python -m tests.oracle.record_programs tests/golden/programs.json   # what tests without PyTorch compare with
    python -m tests.oracle.record_programs - 5000 5300                  # other seeds, to standard output

One line per program, so that a new recording can be read as a diff.
"""

from __future__ import annotations

import sys
import warnings

import torch

from tests.oracle import golden
from tests.oracle.programs import observe

RECORDED = (0, 300)
"""Seeds from, up to."""


def main(target: str, first: int = RECORDED[0], end: int = RECORDED[1]) -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    recorded = {str(seed): observe(torch, seed) for seed in range(first, end)}
    golden.save(golden.of_release(torch.__version__, recorded), target)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
