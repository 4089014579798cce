"""Records how real PyTorch prints the printing cases: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_printing tests/golden/printing.json   # what tests without PyTorch compare with
python -m tests.oracle.record_printing - 100000 3000                # so many from a number on, to standard output
"""

from __future__ import annotations

import json
import sys

import torch

from tests.oracle import golden
from tests.oracle.printing_cases import PrintingCase, printing_case

MAKE = {
    "CloneBackward0": lambda t: t.clone(),
    "ViewBackward0": lambda t: t.view(t.shape),
    "ExpandBackward0": lambda t: t.expand(t.shape),
    "AliasBackward0": torch.ops.aten.alias,
    "PermuteBackward0": lambda t: t.permute(*range(t.dim())) if t.dim() else t.permute(()),
}


def printed(case: PrintingCase) -> str:
    tensor = torch.tensor(case.flat, dtype=getattr(torch, case.dtype)).reshape(case.shape)
    tensor.requires_grad_(case.requires_grad)
    if case.grad_fn:
        tensor = MAKE[case.grad_fn](tensor)
    torch.set_default_dtype(getattr(torch, case.default_dtype))
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**case.options)
    return repr(tensor)


def main(target: str, first: int = 0, count: int = 300) -> None:
    lines = {str(number): printed(printing_case(number)) for number in range(first, first + count)}
    golden.save(json.dumps(lines, indent=0) + "\n", target)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
