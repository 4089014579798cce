"""Records what real PyTorch makes of the creation cases: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_creation tests/golden/creation.json
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

from tests.oracle.creation_cases import EXPRESSIONS
from tests.oracle.outcome import outcome


def main() -> None:
    warnings.simplefilter("ignore")
    recorded = {expression: outcome(expression, torch) for expression in EXPRESSIONS}
    Path(sys.argv[1]).write_text(json.dumps(recorded, indent=0) + "\n")
    print(f"{len(recorded)} expressions evaluated by torch {torch.__version__}")


if __name__ == "__main__":
    main()
