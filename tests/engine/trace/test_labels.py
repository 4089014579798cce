"""Labels are what a person would call a tensor: short, whole, and never a stopgap where the source says more."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.trace import events
from engine.trace.claims import verify
from engine.trace.labels.inner import UNNAMED
from engine.trace.labels.operands import operand
from engine.trace.labels.shortening import LONGEST, shortened
from engine.trace.play import play

SHORTENED = {
    "(q * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum()": "(q * torch.tensor([1.0, 2.0, …])).sum()",
    "torch.autograd.grad(out, x, create_graph=True)": "torch.autograd.grad(out, x, …)",
    "t.view(B, T, self.heads, C // self.heads).transpose(1, 2)": "t.view(B, T, …).transpose(1, 2)",
    "a * b": "a * b",
}


@pytest.mark.parametrize(("text", "expected"), SHORTENED.items())
def test_long_source_is_shortened_inside_its_brackets(text: str, expected: str) -> None:
    assert shortened(text) == expected
    assert len(expected) <= LONGEST


OPERANDS = {
    ("gain * state.detach()", "other"): "state.detach()",
    ("logp[range(n), Y]", "indices[0]"): "range(n)",
    ("q.sum()", "self"): "q",
    ("torch.mul(a, b)", "other"): "b",
    ("sum(xs)", "mat2"): "",
    ("not an expression (", "self"): "",
}


@pytest.mark.parametrize(("place", "expected"), OPERANDS.items())
def test_the_source_names_an_operations_arguments(place: tuple[str, str], expected: str) -> None:
    text, argument = place
    assert operand(text, argument, []) == expected


def test_a_tensor_that_only_an_operation_knows_is_called_as_there() -> None:
    code = """\
import torch
gain = torch.tensor([2.0], requires_grad=True)
state = torch.zeros(1)
loss = (gain * state.detach()).sum()
loss.backward()
"""
    trace = play(code)
    assert "state.detach()" in [tensor.label for tensor in trace.tensors]
    assert all(tensor.label != "an unnamed tensor" for tensor in trace.tensors)


def test_what_a_layer_makes_on_its_way_is_not_called_its_result() -> None:
    code = "import torch\nm = torch.nn.Dropout(0.5)\nm(torch.ones(4, requires_grad=True)).sum().backward()\n"
    labels = [tensor.label for tensor in play(code).tensors]
    assert labels.count("m(torch.ones(4, requires_grad=True))") == 1
    assert "mask in m" in labels


FUNCTIONAL = {
    "jacrev": "print(jacrev(torch.sin)(torch.tensor([1.0, 2.0])))",
    "hessian": "print(hessian(lambda x: (x ** 3).sum())(torch.tensor([1.0, 2.0])))",
    "second": "d2 = grad(grad(lambda x: torch.sin(x) * x))\nprint(d2(torch.tensor(1.0)))",
    "vjp": "out, back = vjp(lambda x: x.exp(), torch.tensor([1.0, 2.0]))\nprint(back(torch.ones(2)))",
    "step": "q = torch.tensor([1.0, -1.0])\nq = q - 0.1 * grad(lambda q: (q ** 2).sum())(q)\nprint(q)",
}


@pytest.mark.parametrize("name", FUNCTIONAL)
def test_no_sentence_about_a_functional_transform_speaks_of_an_unnamed_tensor(name: str) -> None:
    trace = play(f"import torch\nfrom torch.func import grad, hessian, jacrev, vjp\n{FUNCTIONAL[name]}\n")
    said = [text for step in trace.steps for text in (step.text, *step.detail)]
    assert trace.outcome.status == "ok"
    assert [text for text in (*said, *(reason.text for reason in trace.reasons)) if "unnamed" in text] == []


INSIDE = {
    "x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)\n"
    "torch.autograd.gradcheck(lambda a: a * a, (x,))": "UndefinedGrad()(a * a)",
    "x = torch.tensor([1.0, 2.0])\ntorch.func.hessian(lambda t: (t ** 2).sum())(x)": "the copy of x",
    "x = torch.tensor([1.0, 2.0])\ntorch.func.vmap(torch.func.grad(lambda t: t.sin()))(x)": "∂(t.sin())/∂(t.sin())",
    "import copy\na = torch.tensor([2.0], requires_grad=True)\n(a * 3).sum().backward()\nb = copy.deepcopy(a)\n"
    "b.grad.mul_(0)": "b.grad",
    "a = torch.tensor([2.0], requires_grad=True)\n"
    "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t * 1):\n    y = a * a\ny.backward()": "unpacked a",
    "d = torch.tensor([3.0, 1.0], requires_grad=True)\nd.quantile(0.5).backward()": "unsqueeze(0.5)",
    "from torch.autograd.functional import hvp\n"
    "hvp(lambda t: (t ** 2).prod(), torch.tensor([1.0, 2.0]), torch.ones(2))": "div in hvp(lambda t: (…).prod(), …)",
}  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), INSIDE.items())
def test_what_comes_to_be_inside_of_pytorch_is_called_what_it_is(code: str, expected: str) -> None:
    trace = play(f"import torch\n{code}")
    assert trace.outcome.status == "ok"
    labels = [tensor.label for tensor in trace.tensors]
    assert expected in labels
    assert not [label for label in labels if UNNAMED in label]
    assert verify(trace) == []


def test_parts_of_gradcheck_and_of_vmap_are_chapters_of_their_own() -> None:
    code = "x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)\ntorch.autograd.gradcheck(torch.sin, (x,))"
    titles = [chapter.title for chapter in play(f"import torch\n{code}").chapters]
    assert "input 1 at [0], nudged by 1e-06" in titles
    assert "input 1 at [0], nudged by -1e-06" in titles
    code = "torch.func.vmap(lambda t: t.sum())(torch.ones(2, 3))"
    trace = play(f"import torch\n{code}")
    assert [chapter.title for chapter in trace.chapters][-2:] == ["vmap: example 2 of 2", "Line 2"]
    assert all("uint8" not in tensor.dtype for tensor in trace.tensors)


def test_a_name_that_loops_share_is_no_parameters_name() -> None:
    code = """\
import torch
blocks = []
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for i in range(2):
            block = torch.nn.Linear(1, 1)
            self.add_module(f"block{i}", block)
            blocks.append(block)
net = Net()
(net.block0(torch.ones(1)) + net.block1(torch.ones(1))).backward()
"""
    parameters = [tensor.label for tensor in play(code).tensors if tensor.role == "parameter"]
    assert len(set(parameters)) == 4
    assert "block.weight" not in parameters


def test_every_turn_of_a_comprehension_calls_its_results_by_their_text() -> None:
    code = "import torch\nx = torch.ones(3)\nys = [((x + i) * 2).sum().item() for i in range(3)]"
    labels = Counter(tensor.label for tensor in play(code).tensors)
    assert labels["x + i"] == labels["(x + i) * 2"] == labels["((x + i) * 2).sum()"] == 3


def test_a_number_that_a_recorded_derivative_takes_is_part_of_its_label() -> None:
    code = (
        "import torch\nx = torch.tensor(2.0, requires_grad=True)\ntorch.autograd.grad(x ** 3, x, create_graph=True)\n"
    )
    assert {"pow(x, 2)", "mul(pow(x, 2), 3)"} <= {tensor.label for tensor in play(code).tensors}


TIED = """\
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(2))
        self.state = torch.zeros(2)
    def forward(self, x):
        self.state = self.state + x
        return (self.w * self.state).sum()
net = Net()
net(torch.ones(2)).backward()
"""


def test_an_attribute_goes_by_its_name_outside_and_has_one_row() -> None:
    trace = play(TIED)
    assert verify(trace) == []
    bound = [step.name for step in trace.steps if isinstance(step, events.NameBound)]
    assert "net.w" in bound
    assert "self.w" not in bound


def test_an_attribute_that_later_means_what_has_no_name_outside_keeps_its_own() -> None:
    trace = play(TIED)
    bound = [step.name for step in trace.steps if isinstance(step, events.NameBound)]
    assert bound.count("self.state") == 2
