"""Derivatives are told as mathematics: what helpers return, never what they are called."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

import engine.ops
from engine import torch
from engine.ops.core.catalogue import operators
from engine.trace import formula as formulas
from engine.trace.claims import verify
from engine.trace.play import play
from tests.engine.trace.said import everything_said
from tests.engine.trace.test_narration import PROGRAMS
from tests.engine.trace.test_play import SEED
from tests.engine.trace.why.sound import written

HEAD = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
"""
DERIVATIVES = {
    "x = torch.tensor([[0.5], [2.0]], requires_grad=True)\n(x ** 2).sum().backward()": "grad · 2 · x",
    "x = torch.tensor(2.0, requires_grad=True)\n(x ** 3).backward()": "grad · 3 · x^2",
    "x = torch.tensor(2.0, requires_grad=True)\n(x ** x).backward()": "grad · x · x^(x − 1)",
    "x = torch.tensor([2.0, 4.0], requires_grad=True)\nx.mean().backward()": "grad / 2",
    "x = torch.tensor([[2.0, 4.0]], requires_grad=True)\nx.mean(dim=1).sum().backward()": "grad / 2",
    "x = torch.tensor([3.0, 4.0], requires_grad=True)\nn = x.norm()\nn.backward()": "grad · x / n",
    "x, t = torch.tensor([0.3], requires_grad=True), torch.tensor([1.0])\n"
    "F.binary_cross_entropy(x, t).backward()": "grad · (x − t) / max((1 − x) · x, 1e−12)",
    "x, t = torch.tensor([0.3], requires_grad=True), torch.tensor([1.0])\n"
    "F.binary_cross_entropy_with_logits(x, t).backward()": "(σ(x) − t) · grad",
    "x, t = torch.tensor([0.3, 1.0], requires_grad=True), torch.tensor([1.0, 0.0])\n"
    "F.mse_loss(x, t).backward()": "grad / 2 · 2 · (x − t)",
    "x, t = torch.tensor([0.3, 1.0], requires_grad=True), torch.tensor([1.0, 0.0])\n"
    "F.mse_loss(x, t, reduction='sum').backward()": "grad · 2 · (x − t)",
    "x = torch.tensor(0.7, requires_grad=True)\nF.silu(x).backward()": "grad · σ(x) · (1 + x · (1 − σ(x)))",
    "x = torch.tensor(0.7, requires_grad=True)\nx.clamp(0, 1).backward()": "grad · [x ≥ 0] · [x ≤ 1]",
    "x = torch.tensor(0.7, requires_grad=True)\nx.clamp(min=0).backward()": "grad · [x ≥ 0]",
    "x = torch.tensor(0.7, requires_grad=True)\nF.leaky_relu(x).backward()": "grad · [x > 0] + grad · 0.01 · [x ≤ 0]",
    "x = torch.tensor([1.0, 2.0], requires_grad=True)\ny = x.softmax(0)\n"
    "y[0].backward()": "(grad − (Σ (grad · y))) · y",
    "x = torch.tensor(2.3, requires_grad=True)\ntorch.mvlgamma(x, 2).backward()": "grad · (ψ(x) + ψ(x − 0.5))",
    "x = torch.tensor([[0.3, 0.5], [1.0, 2.0]], requires_grad=True)\n"
    "d = torch.linalg.det(x)\nd.backward()": "grad · d · (x^(−1))ᵀ",
    "x = torch.tensor([0.3, 0.5], requires_grad=True)\n"
    "F.layer_norm(x, (2,))[0].backward()": "(grad − mean(grad) − x̂ · mean(grad · x̂)) / σ",
    "x = torch.tensor([0.1, 0.5], requires_grad=True)\n"
    "x.logit(0.2).sum().backward()": "grad / (x · (1 − x)) · [x ≥ 0.2] · [x ≤ 1 − 0.2]",
    "c = torch.tensor([1 + 2j], requires_grad=True)\nd = torch.tensor([2 - 1j])\n"
    "(c * d).abs().sum().backward()": "grad · conj(d)",
    "a, d = torch.tensor([1.5], requires_grad=True), torch.tensor([2 - 1j])\n"
    "(a * d).abs().sum().backward()": "Re(grad · conj(d))",
    "x = torch.tensor([0.0, 2.0], requires_grad=True)\nx.prod().backward()": "grad · Πⱼ≠ᵢ(x)",
}
OTHERS = """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
m = x.view(1, 3)
(x.std() + x.max() + x.prod() + x[1:].sum() + x.cumsum(0)[0] + x.sort().values[0] + x.logsumexp(0)).backward()
layer = nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2), nn.Softplus(), nn.Hardtanh())
F.cross_entropy(layer(m), torch.tensor([1])).backward()
torch.cat([x, x]).view(2, 3).index_select(0, torch.tensor([1])).t().squeeze().expand(2, 3).sum().backward()
F.embedding(torch.tensor([0]), torch.randn(2, 2, requires_grad=True)).sum().backward()
F.conv1d(m[None], torch.randn(1, 1, 2, requires_grad=True)).sum().backward()
"""


@pytest.mark.parametrize(("code", "expected"), DERIVATIVES.items())
def test_a_derivative_is_told_as_mathematics_whose_numbers_hold(code: str, expected: str) -> None:
    trace = play(HEAD + code)
    assert trace.outcome.status == "ok"
    assert expected in [getattr(step, "derivative", "") for step in trace.steps]
    assert verify(trace) == []


@functools.cache
def helpers() -> set[str]:
    """Functions of the operators' files that no snippet can call by that name."""
    files = Path(engine.ops.__file__).parent.rglob("*.py")
    functions = (
        node.name for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    )  # fmt: skip
    places = (torch, torch.ones(()), torch.optim.SGD, torch.nn.Module, torch.nn.functional, torch.special, torch.linalg)
    public = {name for place in places for name in dir(place)}
    # PyTorch's own name of an operator may begin with an underscore, which narration leaves out.
    public |= {operator.name.removeprefix("_") for operator in operators()}
    return {name for name in functions if name not in public}


@pytest.mark.parametrize("code", [*PROGRAMS.values(), *written().values(), HEAD + OTHERS])
def test_no_helper_of_the_engine_is_named_to_a_learner(code: str) -> None:
    trace = play(code if "import torch" in code else HEAD + code)
    said = "\n".join(everything_said(trace)).replace("permuted back(", "permuted_back(")  # two words for one operation
    called = set(re.findall(r"\b([A-Za-z_]\w*)\(", said)) - set(re.findall(r"\b([A-Za-z_]\w*)\(", trace.code))
    assert not (called - {"permuted_back"}) & helpers()
    inner = set(re.findall(r"\w+_(?:backward|sym_sizes|shape|numel)\b|9223372036854775807", said))
    assert not {word for word in inner if word not in trace.code}


IN_NUMBERS = {
    "torch.sinc(x)": (0.0, "1 · (cos(0 · π) − sin(0 · π) / (0 · π)) / 0 · [0 ≠ 0] = 0"),
    "torch.mvlgamma(x, 2)": (2.3, "1 · (ψ(2.3) + ψ(2.3 − 0.5)) = 0.885"),
    "torch.logit(x)": (0.3, "1 / (0.3 · (1 − 0.3)) = 4.762"),
    "torch.atan2(x, torch.zeros(()))": (0.0, "1 · 0 / (0 · 0 + 0 · 0) · [0 · 0 + 0 · 0 ≠ 0] = 0"),
    "F.layer_norm(x * torch.tensor([1.0, 2.0, 4.0]), (3,))[0]": (1.0, (
        "([1, 0, 0] − mean([1, 0, 0]) − [−1.06904, −0.267258, 1.3363] · mean([1, 0, 0] · [−1.06904, −0.267258, 1.3363]))"
        " / [1.24722] = [0.2291, −0.3436, 0.1145]"
    )),
    "torch.linalg.det(x * torch.eye(2) + 1)": (1.0, "1 · 3 · ([[2, 1], [1, 2]]^(−1))ᵀ = [[2, −1], [−1, 2]]"),
}  # fmt: skip


@pytest.mark.parametrize(("expression", "expected"), IN_NUMBERS.items())
def test_a_formula_is_told_with_numbers_in(expression: str, expected: tuple[float, str]) -> None:
    trace = play(f"{HEAD}x = torch.tensor({expected[0]}, requires_grad=True)\n({expression}).backward()")
    assert expected[1] in [getattr(step, "substituted", "") for step in trace.steps]
    assert verify(trace) == []


def test_a_case_that_cannot_be_decided_is_not_told() -> None:
    names = {"grad": formulas.name("g"), "weight": formulas.number("None"), "reduction": formulas.number("1")}
    for text, told in {
        "grad if weight is None else weight * grad": "g",
        "grad / 2 if reduction == 1 and weight is None else grad": "g / 2",
        "grad if not (reduction == 2) else other(grad)": "g",
        "grad if anything(grad) else grad * 2": None,
        "unknown(grad)": None,
    }.items():
        built = formulas.build(text, names.get)
        assert (None if built is None else formulas.plain(built)) == told


COMPUTED = {
    "grad * other": ("g · o", 6.0),
    "grad / other": ("g / o", 2 / 3),
    "-grad * (self / other / other)": ("−g · s / o / o", -2 * 5 / 9),
    "grad * (1 - self * self)": ("g · (1 − s · s)", 2 * (1 - 25)),
    "grad * (self > 0)": ("g · [s > 0]", 2.0),
    "grad * (other * self ** (other - 1))": ("g · o · s^(o − 1)", 2 * 3 * 25),
    "grad.mm(self.t())": ("g @ sᵀ", 10.0),
    "grad.expand(shape) / other": ("g / o", 2 / 3),
    "grad if other == 1 else grad * other": (None, None),
}


@pytest.mark.parametrize(("text", "expected"), COMPUTED.items())
def test_derivative_texts_become_formulas_that_compute(text: str, expected: tuple[str | None, float | None]) -> None:
    names = {"grad": "g", "self": "s", "other": "o", "shape": "[3]"}
    built = formulas.build(text, lambda parameter: formulas.name(names[parameter]))
    if expected[0] is None:
        assert built is None
        return
    assert built is not None
    assert formulas.plain(built) == expected[0]
    assert formulas.evaluate(built, {"g": 2, "s": 5, "o": 3}) == pytest.approx(expected[1])


@pytest.mark.parametrize(
    ("start", "seed", "sum_at_a"),
    [
        ("d.backward()", "∂d/∂d = 1", "∂d/∂a = 1 + 4 = 5"),
        ("d.backward(torch.tensor(1.0))", "∂d/∂d = 1", "∂d/∂a = 1 + 4 = 5"),
        # What is passed is how something behind d depends on d: ∂d/∂d is 1 whatever it is.
        ("d.backward(torch.tensor(2.0))", "∂L/∂d = 2", "∂L/∂a = 2 + 8 = 10"),
    ],
)
def test_formulas_differentiate_what_the_pass_starts_from(start: str, seed: str, sum_at_a: str) -> None:
    trace = play(SEED.replace("d.backward()", start))
    formula = {step.__struct_config__.tag: formulas.plain(step.formula) for step in trace.steps if step.formula}
    assert (formula["backward_started"], formula["messages_summed"]) == (seed, sum_at_a)


def test_a_gradient_for_many_numbers_belongs_to_what_is_behind_them() -> None:
    trace = play("import torch\na = torch.ones(2, requires_grad=True)\n(a * 3).backward(torch.ones(2))\n")
    shown = [formulas.plain(step.formula) for step in trace.steps if step.formula]
    assert "∂L/∂(a * 3) · 3 = [1, 1] · 3 = [3, 3]" in shown
    assert not any(text.startswith("∂(a * 3)/") for text in shown)
