"""Long runs: what is beyond the budget of steps is told at once, and the moment that matters is kept whole."""

from __future__ import annotations

import pytest

from engine.trace import events
from engine.trace.claims.verify import verify
from engine.trace.document import Trace
from engine.trace.limits import Limits
from engine.trace.play import play
from engine.trace.state import State

LIMITS = Limits(steps=400, window=150)

NAN = """\
import torch
w = torch.tensor(2.0, requires_grad=True)
for turn in range(200):
    loss = (w - 1) ** 2
    if turn == 120:
        loss = loss / (loss - loss)
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
print(turn, w.item())
"""

RAISES = """\
import torch
def run(turns):
    w = torch.tensor(1.0, requires_grad=True)
    for turn in range(turns):
        loss = (w * 2 - 1) ** 2
        loss.backward()
        if turn == 77:
            loss.backward()
        w.grad = None
run(100)
"""

MODULES = """\
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(1, 1)
    def forward(self, x):
        y = self.inner(x)
        return y
net = Net()
x = torch.ones(2, 1)
for epoch in range(100):
    for batch in range(2):
        net.zero_grad()
        loss = net(x).sum()
        loss.backward()
with torch.no_grad():
    net.inner.bias.fill_(7.0)
print(net.inner.bias.item())
"""

CHAIN = """\
import torch
w = torch.tensor(1.0, requires_grad=True)
y = w * 1
for turn in range(2000):
    y = y * 1.5
    if turn == 1900:
        w.data.fill_(float("inf"))
"""


SPARSE = """\
import torch
rows = torch.nn.Embedding(5, 2, sparse=True)
optimizer = torch.optim.SGD(rows.parameters(), lr=0.1)
for turn in range(60):
    loss = rows(torch.tensor([1, 3])).pow(2).sum()
    if turn == 50:
        loss = loss / 0
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def gaps(trace: Trace) -> list[int]:
    """Where steps were left out."""
    return [place for place, step in enumerate(trace.steps) if isinstance(step, events.StepsLeftOut)]


def test_the_turn_in_which_numbers_stop_being_finite_is_kept_however_late_it_is() -> None:
    trace = play(NAN, LIMITS)
    first, _ = gaps(trace)
    warned = {(reason.cause, reason.span.line) for reason in trace.reasons if reason.warns and reason.span}
    assert ("gradient_infinite", 6) in warned
    assert trace.scopes[trace.steps[first + 1].scope].title == "turn 121: for turn in range(200)"
    assert trace.stdout == "199 nan\n"


def test_passes_and_lines_are_counted_through_what_was_left_out() -> None:
    trace = play(NAN, LIMITS)
    after = trace.steps[gaps(trace)[0] :]
    assert next(step.call for step in after if isinstance(step, events.BackwardStarted)) == 121
    assert (
        next(step.times for step in after if isinstance(step, events.Line) and step.span and step.span.line == 4) == 121
    )


def test_names_and_values_are_those_of_the_moment_at_which_keeping_goes_on() -> None:
    trace = play(NAN, LIMITS)
    state = State(trace)
    place = gaps(trace)[0]
    for step in trace.steps[: place + 2]:
        state.advance(step)
    value = state.value(state.names[0, "w"])
    assert value is not None
    assert value.text == "1"
    assert state.grads[state.names[0, "w"]] is None
    assert trace.tensors[state.names[0, "loss"]].step > place


@pytest.mark.parametrize("code", [NAN, RAISES, MODULES, CHAIN, SPARSE])
def test_every_claim_holds_through_what_was_left_out(code: str) -> None:
    assert verify(play(code, LIMITS)) == []


def test_leaves_with_sparse_gradients_are_watched_too() -> None:
    trace = play(SPARSE, LIMITS)
    assert trace.scopes[trace.steps[gaps(trace)[0] + 1].scope].title == "turn 51: for turn in range(60)"


def test_the_turn_that_raises_is_kept_however_late_it_is() -> None:
    trace = play(RAISES, LIMITS)
    reason = next(reason for reason in trace.reasons if reason.cause == "graph_freed")
    assert reason.span is not None
    assert reason.span.line == 8
    assert "`PowBackward0` (`(w * 2 - 1) ** 2`, line 5) was freed by the backward pass on line 6" in reason.text
    assert trace.scopes[trace.steps[gaps(trace)[0] + 1].scope].title == "turn 78: for turn in range(turns)"


def test_the_end_of_a_run_tells_what_its_tensors_hold_then() -> None:
    trace = play(MODULES, LIMITS)
    (place,) = gaps(trace)
    step = trace.steps[place]
    assert isinstance(step, events.StepsLeftOut)
    held = {trace.tensors[standing.tensor].label: standing.value.text for standing in step.standings}
    assert held["net.inner.bias"] == "[7]"
    assert trace.stdout == "7.0\n"
    assert place == len(trace.steps) - 2


PRINTS = """\
import torch
w = torch.tensor(1.0, requires_grad=True)
for turn in range(120):
    print("turn", turn)
    loss = w * w
    if turn == 100:
        loss = loss / 0
    loss.backward()
    print(end=".")
"""


def test_everything_that_was_printed_is_told_once_and_in_order() -> None:
    for steps in range(190, 215):
        trace = play(PRINTS, Limits(steps=steps, window=60))
        assert len(gaps(trace)) == 2
        told = [step.output for step in trace.steps if isinstance(step, events.Printed | events.StepsLeftOut)]
        assert "".join(told) == trace.stdout


def test_a_graph_that_grew_too_large_unseen_is_not_shown_from_its_middle() -> None:
    trace = play(CHAIN, LIMITS)
    assert gaps(trace) == [len(trace.steps) - 2]
    assert len(trace.steps) == LIMITS.steps + 2


@pytest.mark.parametrize("steps", range(60, 100))
def test_wherever_the_budget_ends_what_is_said_afterwards_holds(steps: int) -> None:
    trace = play(NAN, Limits(steps=steps, window=30))
    assert verify(trace) == []
    assert gaps(trace)


def test_a_model_is_not_said_to_be_evaluated_wrongly_by_a_run_that_was_not_kept_to_its_end() -> None:
    trains = "net.train()\nnet(x).sum().backward()\nopt.step()\n"
    code = (
        "import torch\nnet = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nx = torch.ones(3, 2)\n"
        f"{trains}with torch.no_grad():\n    target = net(x)\n"
        "for turn in range(9):\n    loss = (net(x) - target).pow(2).mean()\n    loss.backward()\n    opt.step()\n"
    )
    for steps in (60, 90, 120):
        assert "train_mode" not in {reason.cause for reason in play(code, Limits(steps=steps, window=10)).reasons}
