"""Records what real PyTorch does in the programs of `tests.oracle.functional_cases`: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_functional tests/golden/functional.json
"""

from __future__ import annotations

import sys

import torch

from tests.oracle.functional_cases import PROGRAMS
from tests.oracle.training import record

if __name__ == "__main__":
    torch.set_num_threads(1)
    record(PROGRAMS, torch, sys.argv[1])
