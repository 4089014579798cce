"""Explaining goes through where a tensor's numbers are complex or where it gets another size on the way."""

from __future__ import annotations

import pytest

from engine.trace.claims import verify
from engine.trace.play import play

LAZY = """
net = torch.nn.Sequential(torch.nn.LazyConv2d(2, 3), torch.nn.Flatten(), torch.nn.LazyLinear(3))
net(torch.randn(1, 1, 5, 5)).sum().backward()
print([tuple(p.shape) for p in net.parameters()])
"""
COMPLEX = """
z = torch.tensor([1+2j, 3-1j], requires_grad=True)
for i in range(6):
    (g,) = torch.autograd.grad((z * z.conj()).real.sum(), z)
    with torch.no_grad():
        z -= 2 * g
print(z)
"""
OTHER_DATA = """
w = torch.ones(3, requires_grad=True)
for n in (3, 2, 4, 4, 1):
    w.data, w.grad = torch.ones(n), None
    (w ** 2).sum().backward()
    with torch.no_grad():
        w -= 3 * w.grad
    w.data.mul_(2)
print(w)
"""
SET = """
x = torch.ones(4, requires_grad=True)
with torch.no_grad():
    x.sub_(2)
    x.set_(torch.ones(6))
    x.sub_(2)
print(x)
"""


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        (LAZY, "[(2, 1, 3, 3), (2,), (3, 18), (3,)]\n"),
        (COMPLEX, "tensor([ 729.+1458.j, 2187.-729.j], requires_grad=True)\n"),
        (OTHER_DATA, "tensor([-10.], requires_grad=True)\n"),
        (SET, "tensor([-1., -1., -1., -1., -1., -1.], requires_grad=True)\n"),
    ],
)
def test_a_leaf_that_changes_its_size_or_is_complex_is_explained_to_the_end(code: str, printed: str) -> None:
    trace = play("import torch\n" + code)
    assert (trace.outcome.status, trace.stdout) == ("ok", printed)
    assert verify(trace) == []


def test_complex_updates_that_jump_farther_each_time_are_told() -> None:
    trace = play("import torch\n" + COMPLEX.replace("range(6)", "range(9)"))
    assert any("every update jumps" in reason.text for reason in trace.reasons) or any(
        "every update jumps" in step.text for step in trace.steps
    )
