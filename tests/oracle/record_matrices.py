"""Asks real PyTorch about the programs of `matrix_cases`: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_matrices tests/golden/matrices.json

One line per program, so that a new recording can be read as a diff.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

from tests.oracle.matrix_cases import CASES
from tests.oracle.program_outcome import observe

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    programs = dict.fromkeys(program for group in CASES.values() for program in group)
    lines = [f"{json.dumps(p)}: {json.dumps(observe(p, torch), separators=(',', ':'))}" for p in programs]
    Path(sys.argv[1]).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(lines)} programs run by torch {torch.__version__}")
