"""The sentences beside a step name the real cause, the right one of two tensors of one name, and what follows from it.

The numbers in them are PyTorch's for the same programs.
"""

from __future__ import annotations

import pytest

from engine.trace.claims import verify
from engine.trace.marks import bare
from engine.trace.play import play
from tests.engine.trace.test_narration import told

DATA = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
x.data.mul_(10)
y.sum().backward()
"""
HOOKED = """\
import torch
from torch import nn
x = torch.tensor([1.0, -2.0], requires_grad=True)
lin = nn.Linear(2, 1, bias=False)
with torch.no_grad():
    lin.weight.copy_(torch.tensor([[3.0, 4.0]]))
def see(module, args, output):
    pass
def halve(module, grad_input, grad_output):
    return (grad_input[0] * 0.5,)
lin.register_forward_hook(see)
lin.register_full_backward_hook(halve)
lin(x * 1).sum().backward()
"""
FORGETFUL = """\
import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x
x = torch.tensor(3.0, requires_grad=True)
(Square.apply(x) * 5).backward()
"""
SCHEDULED = """\
import torch
w = torch.tensor(1.0, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1, momentum=0.9)
schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.5)
for turn in range(2):
    opt.zero_grad()
    (w * 2).backward()
    opt.step()
    schedule.step()
"""
BETWEEN = """\
import torch
w = torch.tensor(2.0, requires_grad=True)
v = torch.tensor(3.0, requires_grad=True)
opt = torch.optim.SGD([w, v], lr=0.1)
y = w * v
y.backward(retain_graph=True)
opt.step()
y.backward()
"""
CASES = {
    "a result that takes its argument's name": (
        "import torch\nh = torch.tensor(0.5, requires_grad=True)\nh = torch.tanh(h)\nh.backward()\n",
        ["The gradient for h will be grad · (1 − h · h); h is what came out, not what went in."],
    ),
    "a factor whose name means another tensor by now": (
        "import torch\nw = torch.tensor(2.0, requires_grad=True)\nc = torch.tensor(3.0)\nc = w * c\nc.backward()\n",
        ["The derivative for w is grad · c; grad is what arrived, 1; c is the c of line 3."],
    ),
    "a write by way of .data": (
        DATA,
        [
            "x's version stays as it is: what is written by way of .data is not counted, so autograd does not notice.",
            (
                "MulBackward0 of line 3 saved x and will take the new numbers for the old ones: nothing raises, and the gradient "
                "comes out wrong."
            ),
            "x.grad: None → [20, 40].",
        ],
    ),
    "a write that two nodes notice": (
        "import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\nz = y * y\ny += 1\nz.sum().backward()\n",
        [
            (
                "ExpBackward0 of line 3 and MulBackward0 of line 4 saved version 0 and need it: backward through any of them will "
                "raise."
            ),
            "The pass was broken off: MulBackward0 needs y as it was, and it was written to since.",
        ],
    ),
    "a graph that was freed": (
        "import torch\na = torch.tensor(2.0, requires_grad=True)\nh = a.exp()\nh.backward()\n(h * 3).backward()\n",
        ["The pass was broken off: ExpBackward0 needs what the pass on line 4 has freed."],
    ),
    "hooks of a module": (
        HOOKED,
        [
            "Your hook see runs at the forward of lin",
            "Your hook halve runs at the backward of lin and turns [3, 4] into [1.5, 2].",
            "The node had [3, 4], and your hook halve put this in its place.",
            "x.grad: None → [1.5, 2].",
        ],
    ),
    "a function that forgets what arrives": (
        FORGETFUL,
        [
            "SquareBackward sends 6 to x.",
            "It does not use grad_output, which is what arrived: by the chain rule that is a factor of what it has to return.",
            "Square.apply(x) is computed: 9.",
        ],
    ),
    "a scheduler": (
        SCHEDULED,
        [
            "Here lr = 0.1 and momentum = 0.9.",
            "The learning rate is 0.05 now, set by StepLR on line 9; at the step before it was 0.1.",
        ],
    ),
    "an update between two passes": (
        BETWEEN,
        [
            "MulBackward0 of line 5 has kept v and w for another pass, and this step has changed that: backward through it will raise."
        ],
    ),
    "parts of a gradient in a recorded pass": (
        (
            "import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x ** 3 + x * 2\n"
            "(g,) = torch.autograd.grad(y, x, create_graph=True)\n"
        ),
        ["∂y/∂x via x * 2 is computed: 2.", "∂y/∂x via x ** 3 is computed: 12.", "g is computed: 14."],
    ),
    "the second graph of a leaf": (
        "import torch\nx = torch.tensor(2.0, requires_grad=True)\n(x * 2).backward()\n(x * 3).backward()\n",
        [
            "It is made now because its earlier one went with the graphs that led to it, and this operation begins a new graph."
        ],
    ),
    "several results of one call": (
        "import torch\nx = torch.arange(4.0)\na, b = x.chunk(2)\n",
        ["a is computed: [0, 1].", "b is computed: [2, 3]."],
    ),
    "what torch.func.grad differentiates by": (
        "import torch\ndef f(w):\n    return w ** 2\nw = torch.tensor(3.0)\ntorch.func.grad(f)(w)\n",
        [
            "Inside f(), w is a copy of the tensor that was passed in, and requires grad: 3. The derivative is taken by the copy."
        ],
    ),
    "a retained result": (
        "import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * 2\nz = y * 3\ny.retain_grad()\nz.backward()\n",
        ["Of the results only those with retain_grad() keep a gradient. z is not a leaf, so its .grad stays None."],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_cause_is_told(name: str) -> None:
    code, sentences = CASES[name]
    trace = play(code)
    words = told(trace)
    for sentence in sentences:
        assert sentence in words
    assert list(verify(trace)) == []


def test_a_view_that_is_seen_anew_after_a_write_is_no_second_path() -> None:
    code = "import torch\nx = torch.ones(3, requires_grad=True)\nw = torch.zeros(3)\nw[1:] = x[1:] * 3\nw.sum().backward()\n"
    assert "through two paths" not in told(play(code))


def test_one_symbol_does_not_stand_for_two_tensors_of_its_name() -> None:
    code = "import torch\nw = torch.tensor(2.0, requires_grad=True)\nw = w * 3\nloss = w ** 2\nloss.backward()\n"
    words = told(play(code))
    assert "The .grad of the w of line 2: None → 36." in words
    assert "By calculus" not in words


def test_a_layers_own_statistics_are_not_taken_for_what_it_was_given() -> None:
    code = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
for p in net.parameters():
    p.requires_grad_(False)
out = net(torch.ones(3, 2)) * 2
"""
    labels = {bare(tensor.label) for tensor in play(code).tensors}
    assert not any("running_mean)" in label or "bias)" in label for label in labels)


def test_what_every_layer_has_is_said_once() -> None:
    words = told(play("import torch\nnet = torch.nn.Linear(2, 2)\n"))
    assert words.count("No operation is recorded yet, so the graph is empty.") == 1


def test_an_optimizer_is_explained_at_its_first_step_only() -> None:
    assert told(play(SCHEDULED)).count("SGD: θ ← θ − lr · g") == 1
