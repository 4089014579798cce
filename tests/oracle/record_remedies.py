"""Records what real PyTorch does with the repaired versions of the labelled programs, as ``tests/golden/remedies.json``.

    python -m tests.oracle.record_remedies tests/golden/remedies.json

A remedy is followed by rule (`tests.engine.trace.why.remedies`); per repaired program, found by `repairs.key`: how it ended,
and which gradients its leaves have.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch

from tests.engine.trace.why.cases import cases
from tests.engine.trace.why.programs import played
from tests.engine.trace.why.questions import answers
from tests.engine.trace.why.remedies.repairs import UNCOVERED, key, repairs
from tests.oracle.record_why import observe

SEED = 67280421310721
"""What PyTorch begins with when nobody sets a seed."""


def record() -> dict[str, Any]:
    torch.set_num_threads(1)
    recorded = {}
    for case in cases():
        trace = played(case.code)
        for reason in answers(trace, case):
            if reason.cause == case.cause and case.id not in UNCOVERED:
                for code in repairs(trace, reason):
                    torch.manual_seed(SEED)
                    recorded[key(code)] = observe(code)
    return recorded


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(record(), indent=0, ensure_ascii=False) + "\n")
