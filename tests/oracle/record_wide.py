"""Asks real PyTorch about wide random programs: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_wide tests/golden/wide.json   # what tests without PyTorch compare with
python -m tests.oracle.record_wide - 5000 5500              # other seeds, to standard output
"""

from __future__ import annotations

import sys
from functools import partial

import torch
import torch.utils.checkpoint

from tests.oracle import golden
from tests.oracle.batches import in_batches
from tests.oracle.wide.observation import observe, observe_statements

RECORDED = (0, 150)
"""Seeds from, up to."""
WARM_UP = [
    "a = torch.ones(2, requires_grad=True)",
    "torch.func.grad(lambda z: z.sum())(a)",
    "torch.autograd.grad(a * 1, a, torch.eye(2), is_grads_batched=True)",
    "checkpoint(torch.tanh, a, use_reentrant=False).sum().backward()",
    "nn.MultiheadAttention(2, 1)(a[None], a[None], a[None])",
    "torch.optim.SGD([a], lr=0.1).step(); torch.einsum('i,i->', a, a); torch.linalg.norm(a); repr(a)",
]
"""What PyTorch imports late is imported once, before the batches fork."""


def main(target: str, first: int = RECORDED[0], end: int = RECORDED[1]) -> None:
    torch.set_num_threads(1)
    observe_statements(torch, WARM_UP)
    golden.save(golden.of_release(torch.__version__, in_batches(partial(observe, torch), first, end)), target)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
