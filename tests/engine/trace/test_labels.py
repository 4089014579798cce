"""Labels are what a person would call a tensor: short, whole, and never a stopgap where the source says more."""

from __future__ import annotations

import pytest

from engine.trace.labels import LONGEST, shortened
from engine.trace.operands import operand
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
