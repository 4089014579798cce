"""Answers name the operation's own trouble, and not another's."""

from __future__ import annotations

from engine.trace.claims.reasons import wrong_reasons
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


def test_a_batch_is_counted_once_though_its_loss_has_two_results() -> None:
    code = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
data = TensorDataset(torch.randn(8, 2), torch.tensor([0, 0, 0, 0, 1, 1, 1, 1]))
net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=2):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
"""
    assert "Each of the 8 batches that were trained on" in unasked(play(code))


def test_an_optimizer_that_an_error_kept_from_stepping_is_not_said_to_lack_parameters() -> None:
    code = """\
import torch
from torch import nn
torch.manual_seed(0)
first, second = nn.Linear(2, 2), nn.Linear(2, 1)
opt1 = torch.optim.SGD(first.parameters(), lr=0.1)
opt2 = torch.optim.SGD(second.parameters(), lr=0.1)
loss = second(first(torch.ones(1, 2))).mean()
loss.backward()
opt1.step()
loss.backward()
opt2.step()
"""
    assert unasked(play(code)) == ""


def test_layers_made_in_every_call_are_told_without_naming_each() -> None:
    code = """\
import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
    def forward(self, x):
        return nn.Linear(2, 1)(self.first(x))
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    opt.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    opt.step()
"""
    assert "runs in every call of the model (twice here) and makes new parameters each time" in unasked(play(code))


def test_a_schedule_that_takes_the_rate_to_nothing_is_told_with_both_its_ends() -> None:
    code = """\
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.1)
for epoch in range(2):
    for batch in range(3):
        opt.zero_grad()
        net(torch.ones(1, 2)).sum().backward()
        opt.step()
        schedule.step()
"""
    words = unasked(play(code))
    assert "runs for every batch (6 times in 2 turns of the loop on line 7)" in words
    assert "the learning rate falls from 0.1 to 1e−6" in words
    assert "Moved once per turn, it would end at 0.01." in words


def test_a_matrix_product_that_grows_too_large_says_so() -> None:
    code = """\
import torch
torch.manual_seed(0)
lin = torch.nn.Linear(2, 1)
lin(torch.tensor([[1e20, 1e20]])).pow(2).sum().backward()
"""
    words = unasked(play(code))
    assert "in AddmmBackward0" in words
    assert "the product is more than its type holds" in words
    assert "slope is infinite" not in words


def test_a_node_that_saved_no_number_is_not_said_to_be_steep() -> None:
    code = """\
import torch
scores = torch.zeros(2, 2, requires_grad=True)
mask = torch.tensor([[True, False], [False, False]])
weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
weights[0].sum().backward()
"""
    words = unasked(play(code))
    assert "what it saved is not finite itself" in words
    assert "slope is infinite" not in words


def test_an_update_by_hand_between_loss_and_pass_is_not_to_become_a_new_tensor() -> None:
    code = """\
import torch
w = torch.tensor([1.0], requires_grad=True)
loss = (w ** 2).sum()
with torch.no_grad():
    w += 1
loss.backward()
"""
    advice = bare(play(code).outcome.advice)
    assert "Run every backward() that needs the old numbers of w before they are written over" in advice
    assert "w = w + 1" not in advice


def test_a_schedule_of_a_long_run_is_told_without_counting_what_was_not_seen() -> None:
    code = """\
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=10, gamma=0.1)
x, y = torch.randn(48, 3), torch.randn(48, 1)
for epoch in range(60):
    for i in range(0, 48, 4):
        opt.zero_grad()
        nn.functional.mse_loss(net(x[i:i + 4]), y[i:i + 4]).backward()
        opt.step()
        schedule.step()
"""
    trace = play(code)
    words = unasked(trace)
    assert trace.folded > 0
    assert "schedule.step() on line 13 runs for every batch, and the learning rate falls from 0.1 to " in words
    assert "times in" not in words
    assert wrong_reasons(trace) == []


def test_real_numbers_made_of_whole_ones_are_not_said_to_be_whole() -> None:
    code = "import torch\nlabels = torch.tensor([0, 1])\ntarget = labels.float()\n"
    whole, real = (bare(reason.text) for reason in play(code).reasons if reason.about == "grad")
    assert whole.startswith("labels has no .grad: it holds int64 values;")
    assert real.startswith("target has no .grad: it was computed from torch.tensor([0, 1]), which holds int64 values;")
