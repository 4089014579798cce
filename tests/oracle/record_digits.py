"""Records the bits of real PyTorch's elementwise functions and convolutions: run with a Python that has torch 2.13.0.

ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 python -m tests.oracle.record_digits tests/golden/digits.json
"""

from __future__ import annotations

import json
import sys

import torch

from tests.oracle import convolution_digits, golden
from tests.oracle.digits import FUNCTIONS, SIZES, answers


def main(target: str) -> None:
    torch.set_num_threads(1)
    told = {f"{name} of {size}": answers(torch, name, size) for name in FUNCTIONS for size in SIZES}
    told |= {str(list(case)): convolution_digits.answers(torch, case) for case in convolution_digits.CASES}
    lines = ",\n".join(f"{json.dumps(case)}: {json.dumps(bits)}" for case, bits in told.items())
    golden.save(f"{{\n{lines}\n}}\n", target)


if __name__ == "__main__":
    main(sys.argv[1])
