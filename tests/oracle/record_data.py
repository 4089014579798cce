"""Records what real PyTorch makes of the data loading cases: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_data tests/golden/data.json
"""

from __future__ import annotations

import sys

import torch

from tests.oracle.data_cases import EXPRESSIONS
from tests.oracle.outcome import record

if __name__ == "__main__":
    record(EXPRESSIONS, torch, sys.argv[1])
