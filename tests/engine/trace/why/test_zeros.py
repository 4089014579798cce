"""A gradient of zeros is put down to the node that made it so, and to what made it so; a sum that cancels is no node's doing."""

from __future__ import annotations

import pytest

from engine.trace.claims.reasons import wrong_reasons
from engine.trace.marks import bare
from engine.trace.play import play

HEAD = "import torch\n"
CASES = {
    "a state of zeros": (
        (
            "h = torch.zeros(1, 2)\nU = torch.ones(2, 2, requires_grad=True)\nf = torch.ones(1, 2, requires_grad=True)\n"
            "((h @ U) + f * h + f).sum().backward()\n"
        ),
        "U",
        "MmBackward0 (h @ U, line 5) made it 0, because it multiplies by h (line 2), which is 0.",
    ),
    "a factor of 0": (
        "w = torch.tensor(2.0, requires_grad=True)\n(w * 0).backward()\n",
        "w",
        "MulBackward0 (w * 0, line 3) made it 0, because it multiplies by 0.",
    ),
    "a write over it": (
        "w = torch.ones(2, requires_grad=True)\nb = w * 2\nb.zero_()\nb.sum().backward()\n",
        "w",
        "ZeroBackward0 (b.zero_(), line 4) made it 0, because what was there before is overwritten.",
    ),
    "a flat step": (
        "w = torch.tensor([0.3, 1.7], requires_grad=True)\nw.round().sum().backward()\n",
        "w",
        "RoundBackward0 (w.round(), line 3) made it 0, because it is flat there.",
    ),
    "a shift that cancels": (
        "b = torch.zeros(1, requires_grad=True)\ns = torch.tensor([[1.0], [2.0]]) + b\n(s[0] - s[1]).sum().backward()\n",
        "b",
        "AddBackward0 (torch.tensor([[1.0], [2.0]]) + b, line 3) made it 0, because what arrived adds up to 0.",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_zeros_are_put_down_to_what_made_them(name: str) -> None:
    code, leaf, words = CASES[name]
    trace = play(HEAD + code)
    reasons = [reason for reason in trace.reasons if reason.cause == "zero_gradient"]
    assert [trace.tensors[reason.tensor or 0].label for reason in reasons] == [leaf]
    assert bare(reasons[0].text).endswith(words)
    assert wrong_reasons(trace) == []


def test_passes_that_cancel_are_added_up_and_no_node_is_blamed() -> None:
    code = "w = torch.tensor(1.0, requires_grad=True)\n(w * 2).backward()\n(w * -2).backward()\n"
    last = [reason for reason in play(HEAD + code).reasons if reason.about == "grad"][-1]
    assert (last.cause, bare(last.text)[:22]) == ("accumulated", "w.grad = 2 + −2 = 0: t")


def test_a_parameter_without_a_gradient_is_not_said_to_be_changed() -> None:
    code = """\
a = torch.nn.Linear(1, 1)
b = torch.nn.Linear(1, 1)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
a(torch.ones(1)).backward()
opt.step()
"""
    trace = play(HEAD + code)
    changed = {trace.tensors[r.tensor or 0].label for r in trace.reasons if r.cause == "optimizer_step"}
    assert changed == {"a.weight", "a.bias"}


def test_a_value_is_told_from_what_its_sources_held_then() -> None:
    code = "x = torch.tensor(3.0)\nx += 1\ns = x * 2\n"
    told = [bare(r.text) for r in play(HEAD + code).reasons if r.cause == "computed"]
    assert told == ["s = x * 2 = 8 (line 4), from x = 4."]


def test_a_buffer_that_takes_tracked_values_is_part_of_the_graph_from_then_on() -> None:
    code = "x = torch.ones(2, requires_grad=True)\nw = torch.zeros(2)\nw[0] = x[0] * 3\nw.sum().backward()\n"
    trace = play(HEAD + code)
    told = [
        (r.cause, bare(r.text))
        for r in trace.reasons
        if r.about == "grad" and trace.tensors[r.tensor or 0].label == "w"
    ]
    assert [cause for cause, _ in told] == ["requires_grad_false", "not_a_leaf"]
    assert told[1][1].startswith("w is part of the graph since w[0] = x[0] * 3 (line 4) wrote into it, and no leaf")
    assert wrong_reasons(trace) == []


def test_a_tied_weight_says_what_took_its_place() -> None:
    code = """\
class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(1, 1, bias=False)
        self.last = torch.nn.Linear(1, 1, bias=False)
        self.last.weight = self.first.weight
    def forward(self, x):
        return self.last(self.first(x))
net = Tied()
net(torch.ones(1)).backward()
"""
    trace = play(HEAD + code)
    told = [bare(r.text) for r in trace.reasons if r.cause == "not_used"]
    assert len(told) == 1
    assert told[0].startswith("self.last.weight means net.first.weight since line 7.")
    assert wrong_reasons(trace) == []


def test_an_input_that_grad_does_not_reach_may_be_allowed() -> None:
    code = "x = torch.tensor(1.0, requires_grad=True)\ny = torch.tensor(2.0, requires_grad=True)\ntorch.autograd.grad(x * 3, [x, y])\n"
    assert "Or pass allow_unused=True: then grad() gives None for it." in bare(play(HEAD + code).outcome.advice)
