"""Records what real PyTorch makes of the distributions cases: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_distributions tests/golden/distributions.json
"""

from __future__ import annotations

import sys

import torch

from tests.oracle.distributions_cases import EXPRESSIONS
from tests.oracle.outcome import record

if __name__ == "__main__":
    record(EXPRESSIONS, torch, sys.argv[1])
