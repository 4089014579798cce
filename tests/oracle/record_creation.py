"""Records what real PyTorch makes of the creation cases: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_creation tests/golden/creation.json
"""

from __future__ import annotations

import sys

import torch

from tests.oracle.creation_cases import EXPRESSIONS
from tests.oracle.outcome import record

if __name__ == "__main__":
    record(EXPRESSIONS, torch, sys.argv[1])
