"""vmap is told as what it does to a batch: which slices each example gets, and that PyTorch runs them at once."""

from __future__ import annotations

from engine.trace import events
from engine.trace.claims import verify
from engine.trace.play import play
from tests.engine.trace.test_narration import told

DOTS = """\
import torch
def dot(a, b):
    return (a * b).sum()
a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b = torch.tensor([[5.0, 7.0], [6.0, 8.0]])
out = torch.func.vmap(dot, in_dims=(0, 1))(a, b)
out.sum().backward()
print(out, a.grad)
"""
PER_SAMPLE = """\
import torch
from torch.func import grad, vmap
def loss(w, x):
    return (w @ x) ** 2
w = torch.tensor([1.0, 2.0])
xs = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
print(vmap(grad(loss), in_dims=(None, 0))(w, xs))
"""


def test_what_each_example_gets_is_said_before_the_first_one() -> None:
    words = told(play(DOTS))
    assert (
        "torch.func.vmap(dot, in_dims=(0, 1))(a, b) runs its function twice, once for each example: example i gets a[i] and b[:, i]."
        in words
    )
    assert words.count("PyTorch computes all examples at once") == 1
    assert "Example 2 gets a[1]: [3, 4]." in words
    assert "Example 2 gets b[:, 1]: [7, 8]." in words
    assert "a[1] is recorded as SelectBackward0." in words


def test_what_is_not_mapped_is_passed_whole() -> None:
    trace = play(PER_SAMPLE)
    assert verify(trace) == []
    assert "once for each example: example i gets xs[i], and w whole." in told(trace)
    assert trace.stdout == "tensor([[2., 0.],\n        [0., 4.]])\n"


def test_a_batch_is_cut_once_for_each_example() -> None:
    trace = play(DOTS)
    assert verify(trace) == []
    cut = [step for step in trace.steps if isinstance(step, events.TensorMade) and step.operator == "select"]
    assert len(cut) == 4
    assert [node.name for node in trace.nodes].count("SelectBackward0") == 2
    assert trace.stdout.startswith("tensor([17., 53.]")
    assert trace.stdout.endswith("tensor([[5., 6.],\n        [7., 8.]])\n")


def test_results_of_two_examples_are_told_apart_by_their_example() -> None:
    words = told(play(DOTS))
    assert "the (a * b).sum() of example 1" in words
    assert "the earlier (a * b).sum()" not in words


def test_a_slice_is_not_said_to_be_what_the_whole_call_gives() -> None:
    trace = play(PER_SAMPLE)
    values = [reason.text for reason in trace.reasons if reason.about == "value"]
    assert (
        "`x` = [1, 0], by `select` in `vmap(grad(loss), in_dims=(None, 0))(w, xs)` (line 7), from `xs` = [[1, 0], [0, 1]]."
        in values
    )
