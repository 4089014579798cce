"""Answers name the operation's own trouble, and not another's."""

from __future__ import annotations

from engine.trace.document import Trace
from engine.trace.marks import bare
from engine.trace.play import play


def unasked(trace: Trace) -> str:
    return bare("\n".join(step.warning for step in trace.steps if step.warning))


def test_a_whole_power_is_not_blamed_for_the_slope_of_a_fractional_one() -> None:
    code = """\
import torch
x = torch.tensor([0.0, 0.0], requires_grad=True)
(x ** 2).sum().sqrt().backward()
"""
    words = unasked(play(code))
    assert "The gradient turns infinite in SqrtBackward0" in words
    assert "what it gets is infinite already" in words
    assert "fractional" not in words


def test_a_power_that_grows_too_large_says_so() -> None:
    code = """\
import torch
x = torch.tensor(1e13, requires_grad=True)
(x ** 4).backward()
"""
    words = unasked(play(code))
    assert "the product is more than its type holds" in words
    assert "fractional" not in words


def test_a_fractional_power_at_zero_still_is() -> None:
    code = "import torch\nx = torch.tensor(0.0, requires_grad=True)\n(x ** 0.5).backward()\n"
    assert "the slope of a fractional power is infinite at 0, and below 0 it has none" in unasked(play(code))


def test_an_update_by_hand_is_not_taken_for_a_penalty() -> None:
    code = """\
import torch
w = torch.tensor(5.0, requires_grad=True)
for turn in range(2):
    loss = w ** 2
    loss.backward()
    if w.grad is not None:
        w = w - 0.1 * w.grad
"""
    assert "create_graph" not in unasked(play(code))


def test_a_name_that_moved_on_says_where_the_gradients_go() -> None:
    code = """\
import torch
w = start = torch.tensor(5.0, requires_grad=True)
w = w * 2
w.backward()
print(w.grad)
"""
    told = bare("\n".join(reason.text for reason in play(code).reasons))
    assert "The gradients go to the old leaf." in told
    assert "no name any more" not in told


def test_a_power_of_a_tensor_of_exponents_is_answered_too() -> None:
    for exponent in ("torch.tensor(-0.25)", "torch.tensor([0.5, -1.0])", "-1", "0.5"):
        code = f"import torch\nx = torch.tensor([0.0, 1.0], requires_grad=True)\n(x ** {exponent}).sum().backward()\n"
        assert "The gradient turns infinite in PowBackward" in unasked(play(code)), exponent


def test_an_answer_that_begins_with_code_leaves_it_as_it_is_written() -> None:
    trace = play(
        "import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * x\ng, = torch.autograd.grad(y, x)\nz = g + 1\n"
    )
    texts = [reason.text for reason in trace.reasons if reason.about == "grad"]
    assert "`autograd.grad()` on line 4 returns the gradient; it leaves `x.grad` as it was." in texts
