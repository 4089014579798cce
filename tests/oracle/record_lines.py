"""Asks real PyTorch what each program of one line answers: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_lines tests/golden/lines.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

from tests.oracle.line_outcome import outcome, topics


def main(target: str) -> None:
    torch.set_num_threads(1)
    told = {topic: {line: outcome(line, torch) for line in lines} for topic, lines in topics().items()}
    Path(target).write_text(json.dumps(told, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
