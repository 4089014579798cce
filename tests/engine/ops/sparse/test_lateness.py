"""Sparse tensors cost nothing until a program has one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]


def printed(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_torch_does_not_import_them() -> None:
    program = "import sys; from engine import torch; torch.ones(2, requires_grad=True).sum().backward(); "
    assert printed(program + "print([name for name in sys.modules if name.startswith('engine.ops.sparse')])") == "[]"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("torch.eye(2).to_sparse()._nnz()", "2"),
        ("torch.ones(2).to_dense().tolist()", "[1.0, 1.0]"),
        ("torch.sparse_coo_tensor([[0]], [1.0]).shape", "torch.Size([1])"),
        ("torch.sparse.mm(torch.eye(1).to_sparse(), torch.ones(1, 1)).item()", "1.0"),
        ("torch.Tensor.to_sparse(torch.eye(1)).layout", "torch.sparse_coo"),
        ("torch.ones(2).sparse_dim()", "0"),
    ],
)
def test_the_first_that_is_asked_for_is_there(expression: str, text: str) -> None:
    assert printed(f"from engine import torch; print({expression})") == text


def test_a_gradient_of_rows_is_the_first_sparse_tensor_of_a_program() -> None:
    program = """
from engine import torch
w = torch.ones(3, 2, requires_grad=True)
a, b = (torch.nn.functional.embedding(torch.tensor([k]), w, sparse=True) for k in (0, 2))
((a * 2).sum() + (b * 3).sum()).backward()
print(w.grad.to_dense().tolist())
x = torch.arange(3.0).requires_grad_()
torch.gather(x * 2, 0, torch.tensor([1]), sparse_grad=True).sum().backward()
print(x.grad.is_sparse, x.grad.to_dense().tolist())
"""
    assert printed(program).splitlines() == ["[[2.0, 2.0], [0.0, 0.0], [3.0, 3.0]]", "True [0.0, 2.0, 0.0]"]
