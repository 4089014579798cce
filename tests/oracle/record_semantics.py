"""Asks real PyTorch about random programs of autograd's semantics: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_semantics tests/golden/semantics.json   # what tests without PyTorch compare with
python -m tests.oracle.record_semantics - 5000 5500                   # other seeds, to standard output
"""

from __future__ import annotations

import sys
import warnings
from functools import partial

import torch

from tests.oracle import golden
from tests.oracle.batches import in_batches
from tests.oracle.semantics import observe

RECORDED = (0, 150)
"""Seeds from, up to."""


def main(target: str, first: int = RECORDED[0], end: int = RECORDED[1]) -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    golden.save(golden.of_release(torch.__version__, in_batches(partial(observe, torch), first, end)), target)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
