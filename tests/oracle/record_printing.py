"""Records how real PyTorch prints the printing cases: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_printing tests/golden/printing.json [first] [count]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

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


def main() -> None:
    first, count = int((sys.argv[2:] or ["0"])[0]), int((sys.argv[3:] or ["300"])[0])
    lines = {str(number): printed(printing_case(number)) for number in range(first, first + count)}
    Path(sys.argv[1]).write_text(json.dumps(lines, indent=0) + "\n")
    print(f"{len(lines)} tensors as printed by torch {torch.__version__}")


if __name__ == "__main__":
    main()
