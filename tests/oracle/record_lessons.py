"""Records what real PyTorch answers to the claims of all lessons: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_lessons tests/golden/lessons.json   # what tests without PyTorch compare with
python -m tests.oracle.record_lessons -                           # to standard output
"""

from __future__ import annotations

import json
import sys

import torch

from tests.oracle import golden
from tests.oracle.lesson_answers import observe
from tests.oracle.lesson_programs import programs


def main(target: str) -> None:
    torch.set_num_threads(1)
    recorded = {}
    for program in programs():
        torch.set_grad_enabled(True)
        recorded[program.name] = observe(program)
    golden.save(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", target)


if __name__ == "__main__":
    main(sys.argv[1])
