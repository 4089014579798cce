"""Families that are declared late are found by every way that leads to them, each tried in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LATE = ("engine.ops.neural", "engine.ops.linear_algebra", "engine.ops.fourier")


def told(program: str) -> str:
    """What a program prints that imports torch first."""
    lines = f"import sys\nfrom engine import torch\n{program}"
    done = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_first_program_imports_none_of_them() -> None:
    program = f"""
a = torch.tensor([3.0, 4.0], requires_grad=True)
(torch.sigmoid(a @ a) + (a * a).mean()).backward()
print(a.grad, [name for name in {LATE} if name in sys.modules])
"""
    assert told(program) == "tensor([3., 4.]) []"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("print(torch.conv1d(torch.ones(1, 1, 3), torch.ones(1, 1, 3)))", "tensor([[[3.]]])"),
        ("print(torch.eye(2).inverse())", "tensor([[1., 0.],\n        [0., 1.]])"),
        ("print(torch.Tensor.det(torch.eye(2)))", "tensor(1.)"),
        ("from engine.torch import stft; print(stft.__name__)", "stft"),
        ("from engine.torch import *; print(einsum.__name__)", "einsum"),
        ("print('histc' in dir(torch), 'cholesky' in dir(torch.eye(2)), hasattr(torch, 'conv_nowhere'))", "True True False"),
        ("print(torch.linalg.norm(torch.ones(4)))", "tensor(2.)"),
        ("print(torch.fft.ifft(torch.ones(1)).real)", "tensor([1.])"),
        ("print(torch.special.bessel_j0(torch.zeros(1)))", "tensor([1.])"),
        ("print(torch.nn.functional.mse_loss(torch.ones(2), torch.zeros(2)))", "tensor(1.)"),
        ("print(torch.nn.Linear(2, 1)(torch.ones(2)).shape)", "torch.Size([1])"),
        ("print(torch.ops.aten.convolution.__name__)", "convolution"),
        ("torch.conv1d = 1; torch.linalg; print(torch.conv1d)", "1"),
    ],
)  # fmt: skip
def test_who_asks_for_a_name_of_theirs_gets_it(program: str, expected: str) -> None:
    assert told(program) == expected


def test_a_class_of_tensors_is_asked_by_their_functions_too() -> None:
    program = """
class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        print(function.__name__)
        return super().__torch_function__(function, types, args, kwargs or {})
torch.det(torch.eye(2).as_subclass(Own))
"""
    assert told(program) == "det"


def test_declaring_them_changes_nothing_that_was_declared_before() -> None:
    program = """
from engine.ops.core import catalogue
def state():
    facts = ("definition", "sources", "recorded", "bare", "promotion", "__class__", "number_twin")
    return [tuple(id(getattr(operator, fact)) for fact in facts) for operator in catalogue.OPERATORS]
def spelled():
    seen = catalogue.TABLES.keys() - {"functional", "internal"}  # the former is shown when they are declared, the latter never
    return [(place, name, id(value)) for place in seen for name, value in catalogue.TABLES[place].items()]
before, names = state(), spelled()
catalogue.declare_late_families()
print(len(catalogue.OPERATORS) > len(before), state()[: len(before)] == before)
print(sorted((place, name) for place, name, _ in set(names) - set(spelled())))
"""
    assert told(program).splitlines() == ["True True", "[]"]
