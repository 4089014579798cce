"""Asks real PyTorch about random programs of autograd's semantics: run with a Python that has torch 2.13.0.

    python -m tests.oracle.record_semantics tests/golden/semantics.json   # what tests without PyTorch compare with
    python -m tests.oracle.record_semantics - 5000 5500                   # other seeds, to standard output

Each batch runs in a child: some programs crash PyTorch itself (a segmentation fault), and those are left out.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from typing import Any

import torch

from tests.oracle import golden
from tests.oracle.semantics import observe

RECORDED = (0, 150)
"""Seeds from, up to."""
BATCH = 64


def answers(first: int, end: int) -> dict[str, Any]:
    """Observations by seed; a batch that dies is halved until the culprit is alone."""
    readable, writable = os.pipe()
    child = os.fork()
    if not child:
        os.close(readable)
        with os.fdopen(writable, "w") as pipe:
            json.dump({seed: observe(torch, seed) for seed in range(first, end)}, pipe)
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if status == 0:
        return json.loads(text)  # type: ignore[no-any-return]
    if end - first == 1:
        return {}
    middle = (first + end) // 2
    return answers(first, middle) | answers(middle, end)


def main(target: str, first: int = RECORDED[0], end: int = RECORDED[1]) -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {}
    for start in range(first, end, BATCH):
        found |= answers(start, min(start + BATCH, end))
    golden.save(golden.of_release(torch.__version__, {str(seed): seen for seed, seen in found.items()}), target)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
