"""Asks real PyTorch about the programs of `not_like_pytorch`: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_differences tests/golden/differences.json
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

from tests.oracle.not_like_pytorch import DIFFERENT
from tests.oracle.program_outcome import observe

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    recorded = {d.program: observe(d.program, torch) for d in DIFFERENT}
    Path(sys.argv[1]).write_text(json.dumps(recorded, indent=0) + "\n", encoding="utf-8")
    print(f"{len(recorded)} programs run by torch {torch.__version__}")
