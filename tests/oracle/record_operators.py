"""Records what real PyTorch makes of the operator cases: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_operators tests/golden/operators.json
"""

from __future__ import annotations

import os
import sys

os.environ["ATEN_CPU_CAPABILITY"] = "avx2"  # the order of additions is that of a plain AVX2 processor

import torch

from tests.oracle.derivatives import record
from tests.oracle.operator_cases import EXPRESSIONS

if __name__ == "__main__":
    record(EXPRESSIONS, torch, sys.argv[1])
