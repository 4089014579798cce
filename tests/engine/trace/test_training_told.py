"""What is done between passes is one step with its numbers: a schedule's step, a clip. The numbers are PyTorch 2.13's."""

from __future__ import annotations

import pytest

from engine.trace import events
from engine.trace.claims import verify
from engine.trace.document import Trace
from engine.trace.play import play
from tests.engine.trace.test_narration import told

SCHEDULES = {
    "StepLR(opt, step_size=2, gamma=0.5)": [1.0, 1.0, 0.5, 0.5],
    "MultiStepLR(opt, milestones=[1, 3], gamma=0.1)": [1.0, 0.1, 0.1, 0.010000000000000002],
    "ConstantLR(opt, factor=0.5, total_iters=2)": [0.5, 0.5, 1.0, 1.0],
    "LinearLR(opt, start_factor=0.25, total_iters=3)": [0.25, 0.5, 0.75, 1.0],
    "ExponentialLR(opt, gamma=0.5)": [1.0, 0.5, 0.25, 0.125],
    "PolynomialLR(opt, total_iters=4, power=2.0)": [1.0, 0.5625, 0.25, 0.0625],
    "CosineAnnealingLR(opt, T_max=2)": [1.0, 0.5, 0.0, 0.49999999999999994],
    "CosineAnnealingWarmRestarts(opt, T_0=2)": [1.0, 0.5, 1.0, 0.5],
    "LambdaLR(opt, lambda epoch: 1 / (epoch + 1))": [1.0, 0.5, 0.3333333333333333, 0.25],
    "MultiplicativeLR(opt, lambda epoch: 0.5)": [1.0, 0.5, 0.25, 0.125],
    "OneCycleLR(opt, max_lr=1.0, total_steps=4)": [0.040000000000000036, 0.811745653949763, 0.28306099820869923, 4e-06],
    "CyclicLR(opt, base_lr=0.125, max_lr=1.0, step_size_up=2)": [0.125, 0.5625, 1.0, 0.5625],
}
"""Each schedule of an optimizer made with ``lr=1.0``: its rate at first, and after each of three steps."""
SCHEDULED = """\
import torch
w = torch.tensor(1.0, requires_grad=True)
opt = torch.optim.{optimizer}([w], lr=1.0)
schedule = torch.optim.lr_scheduler.{schedule}
for turn in range({turns}):
    w.grad = torch.tensor(1.0)
    opt.step()
    schedule.step({told})
"""
CLIPPED = """\
import torch
a = torch.tensor([3.0, 4.0], requires_grad=True)
b = torch.tensor([12.0], requires_grad=True)
(a * torch.tensor([3.0, 4.0])).sum().backward()
(b * 12.0).sum().backward()
norm = torch.nn.utils.{call}
"""


def scheduled(schedule: str, optimizer: str = "SGD", turns: int = 3, told: str = "") -> Trace:
    return play(SCHEDULED.format(schedule=schedule, optimizer=optimizer, turns=turns, told=told))


def steps_of(trace: Trace) -> list[events.ScheduleStepped]:
    return [step for step in trace.steps if isinstance(step, events.ScheduleStepped)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_step_of_a_schedule_says_from_what_to_what_the_rate_went(schedule: str) -> None:
    rates = SCHEDULES[schedule]
    name = schedule.partition("(")[0]
    trace = scheduled(schedule, "Adam" if "Cyc" in name else "SGD")
    found = steps_of(trace)
    assert verify(trace) == []
    assert [step.begins for step in found] == [True] * (rates[0] != 1.0) + [False] * 3
    changes = [change for step in found for change in step.changes if change.name == "lr"]
    assert [change.after for change in changes] == pytest.approx(rates if found[0].begins else rates[1:])
    assert [change.before for change in changes] == pytest.approx([1.0, *rates][:4] if found[0].begins else rates[:3])


def test_the_next_update_goes_as_much_less_far_as_the_rate_has_fallen() -> None:
    words = told(scheduled("StepLR(opt, step_size=2, gamma=0.5)"))
    assert "StepLR, step 1: the learning rate of SGD stays 1." in words
    assert "StepLR, step 2: the learning rate of SGD goes from 1 to 0.5." in words
    assert (
        "SGD multiplies its update by the learning rate, so the next step() moves the parameters half as far as it would have "
        "at 1." in words
    )
    assert "The learning rate is 0.5 now, set by StepLR on line 8; at the step before it was 1." in words
    assert words.count("StepLR: times gamma every step_size epochs.") == 1


def test_a_rate_of_0_moves_nothing() -> None:
    words = told(scheduled("CosineAnnealingLR(opt, T_max=2)", turns=2))
    assert "At a rate of 0 the next step() does not move the parameters." in words


def test_of_an_update_that_is_no_multiple_of_the_rate_no_multiple_is_told() -> None:
    assert "as far" not in told(scheduled("ExponentialLR(opt, gamma=0.5)", "Rprop"))


def test_momentum_that_moves_along_is_told() -> None:
    words = told(scheduled("OneCycleLR(opt, max_lr=1.0, total_steps=4)", "Adam", turns=1))
    assert "The beta1 of Adam moves along: 0.95 → 0.8688." in words


def test_a_schedule_that_watches_a_number_says_what_it_waits_for() -> None:
    trace = scheduled("ReduceLROnPlateau(opt, patience=1)", turns=4, told="[3.0, 2.0, 2.5, 2.5][turn]")
    words = told(trace)
    assert verify(trace) == []
    assert "It was told 2, the best so far." in words
    assert (
        "It was told 2.5; the best so far is 2, and this is the first step in a row that is not clearly better. It lowers the "
        "rate after more than patience = 1 of them." in words
    )
    assert (
        "and this is the second step in a row that is not clearly better. That is more than patience = 1, so it lowers the rate."
        in words
    )
    assert [step.changes[0].after for step in steps_of(trace)] == pytest.approx([1.0, 1.0, 1.0, 0.1])


def test_groups_whose_rates_part_are_told_one_by_one() -> None:
    trace = play(
        "import torch\na, b = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))\n"
        "opt = torch.optim.SGD([{'params': [a], 'lr': 0.5}, {'params': [b]}], lr=0.1)\n"
        "schedule = torch.optim.lr_scheduler.LambdaLR(opt, [lambda e: 1.0, lambda e: 0.5 ** e])\n"
        "a.grad = b.grad = torch.ones(1)\nopt.step()\nschedule.step()\n"
    )
    words = told(trace)
    assert verify(trace) == []
    assert "LambdaLR, step 1: the learning rates of SGD's two groups change." in words
    assert "Of a: stays 0.5." in words
    assert "Of b: 0.1 → 0.05." in words
    assert "the next step() moves b half as far as it would have at 0.1." in words


def test_each_schedule_of_a_chain_tells_its_own_part() -> None:
    trace = scheduled(
        "ChainedScheduler([torch.optim.lr_scheduler.ExponentialLR(opt, 0.5), torch.optim.lr_scheduler.ExponentialLR(opt, 0.1)])",
        turns=1,
    )
    assert [(step.changes[0].before, step.changes[0].after) for step in steps_of(trace)] == [(1.0, 0.5), (0.5, 0.05)]


def test_clipping_by_norm_is_one_thing_and_what_it_does_to_each_gradient() -> None:
    trace = play(CLIPPED.format(call="clip_grad_norm_([a, b], 2.6)"))
    words = told(trace)
    assert verify(trace) == []
    assert "The total norm of the two gradients is 13, more than 2.6, so each is multiplied by 2.6 / 13 = 0.2." in words
    assert "a.grad is multiplied by 0.2: [3, 4] → [0.6, 0.8]." in words
    assert "b.grad is multiplied by 0.2: [12] → [2.4]." in words
    assert "The name norm now means this tensor: 13." in words
    assert not any(isinstance(step, events.TensorMade) and "norm" in step.operator for step in trace.steps)


def test_clipping_that_is_not_needed_says_so_and_is_no_write() -> None:
    trace = play(CLIPPED.format(call="clip_grad_norm_([a, b], 20.0)"))
    assert verify(trace) == []
    assert "The total norm of the two gradients is 13, not more than 20: they stay as they are." in told(trace)
    assert not any(isinstance(step, events.ValueWritten) for step in trace.steps)


@pytest.mark.parametrize(
    ("gradient", "sentence"),
    [
        ("[float('nan'), 1.0]", "The norm of w.grad is NaN, for some element is: it is multiplied by NaN, and all that is left is NaN."),
        ("[float('inf'), 1.0]", "The norm of w.grad is infinite: it is multiplied by 0, which makes 0 of finite elements and NaN of"),
        ("[0.6, 0.8]", "The norm of w.grad is 1, just within 1; it is multiplied by 0.999999, since PyTorch adds a millionth"),
    ],
)  # fmt: skip
def test_norms_at_the_edge(gradient: str, sentence: str) -> None:
    trace = play(
        f"import torch\nw = torch.ones(2, requires_grad=True)\nw.grad = torch.tensor({gradient})\n"
        "torch.nn.utils.clip_grad_norm_([w], 1.0)\n"
    )
    assert verify(trace) == []
    assert sentence in told(trace)


def test_a_clip_that_finds_no_gradient_says_so() -> None:
    trace = play("import torch\nw = torch.ones(2, requires_grad=True)\ntorch.nn.utils.clip_grad_norm_([w], 1.0)\n")
    assert "clip_grad_norm_ finds no gradient to clip." in told(trace)
    assert verify(trace) == []


def test_clipping_by_value_counts_what_is_beyond() -> None:
    trace = play(CLIPPED.format(call="clip_grad_value_([a, b], 5.0)"))
    words = told(trace)
    assert verify(trace) == []
    assert "One of the three elements of the two gradients is beyond ±5 and becomes 5 or −5." in words
    assert "b.grad is cut off at ±5: [12] → [5]." in words
    assert "a.grad is cut off" not in words


@pytest.mark.parametrize("write", ["torch.nn.utils.clip_grad_norm_([w], 1.0)", "w.grad.mul_(0.5)"])
def test_why_a_gradient_is_what_it_is_knows_what_was_written_into_it(write: str) -> None:
    trace = play(f"import torch\nw = torch.tensor([2.0], requires_grad=True)\n(w * 2).sum().backward()\n{write}\n")
    reason = [reason for reason in trace.reasons if reason.about == "grad"][-1]
    assert reason.text == (f"`w.grad` = [1]: `{write}` on line 4 changed what the pass on line 3 had left there.")
    assert reason.last == len(trace.steps) - 1


def test_a_norm_that_is_asked_about_comes_from_the_gradients() -> None:
    trace = play(CLIPPED.format(call="clip_grad_norm_([a, b], 2.6)"))
    norm = next(index for index, row in enumerate(trace.tensors) if "norm" in row.names)
    value = next(reason for reason in trace.reasons if reason.tensor == norm and reason.about == "value")
    assert "from `a.grad` = [3, 4] and `b.grad` = [12]" in value.text


def test_what_is_done_between_passes_is_one_chapter() -> None:
    trace = play(CLIPPED.format(call="clip_grad_norm_([a, b], 2.6)"))
    assert [chapter.title for chapter in trace.chapters][-2] == "Gradients clipped"


def test_a_clip_after_the_update_is_warned_of_though_it_changes_nothing() -> None:
    code = CLIPPED.replace("norm = ", "").format(call="clip_grad_norm_([a, b], 20.0)")
    late = code.replace("torch.nn.utils", "torch.optim.SGD([a, b], lr=0.1).step()\ntorch.nn.utils")
    assert [reason.cause for reason in play(late).reasons if reason.warns] == ["clipped_late"]
    assert not any(reason.warns for reason in play(code).reasons)
