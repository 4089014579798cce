"""Tangents that lead on to what they are multiplied with, as PyTorch's do: nodes and numbers from PyTorch 2.13."""

from __future__ import annotations

from typing import Any

import pytest

import engine.torch as torch
from engine.torch.autograd import forward_ad


def dual() -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return forward_ad.make_dual(x, torch.ones(2))


def unpacked(made: Any) -> Any:
    return forward_ad.unpack_dual(made)


@pytest.mark.parametrize(
    ("function", "node", "numbers"),
    [
        (lambda d: d * 3, "AddBackward0", [3.0, 3.0]),
        (lambda d: d * d, "AddBackward0", [2.0, 4.0]),
        (lambda d: d * torch.ones(2), "AddBackward0", [1.0, 1.0]),
        (lambda d: 3 / d, "AddBackward0", [-3.0, -0.75]),
        (lambda d: d / d, "DivBackward0", [0.0, 0.0]),
        (lambda d: d.softmax(0), "MulBackward0", [0.0, 0.0]),
        (lambda d: d @ d, "AddBackward0", 6.0),
        (lambda d: torch.where(d > 1, d, d * 2), "WhereBackward0", [2.0, 1.0]),
        (torch.tanh, "TanhBackwardBackward0", None),
    ],
)
def test_a_tangent_is_computed_by_pytorchs_formula(function: Any, node: str, numbers: Any) -> None:
    with forward_ad.dual_level():
        tangent = unpacked(function(dual())).tangent
    assert tangent.grad_fn.name() == node
    assert numbers is None or tangent.tolist() == numbers


def test_a_weight_without_a_tangent_is_still_led_to() -> None:
    weight = torch.eye(2).requires_grad_()
    with forward_ad.dual_level():
        rows = forward_ad.make_dual(torch.ones(1, 2), torch.tensor([[1.0, 2.0]]))
        tangent = unpacked(torch.nn.functional.linear(rows, weight, torch.zeros(2))).tangent
    tangent.sum().backward()
    assert weight.grad.tolist() == [[1.0, 2.0], [1.0, 2.0]]


def test_untracked_products_have_plain_tangents() -> None:
    with forward_ad.dual_level():
        d = forward_ad.make_dual(torch.tensor([1.0, float("inf")]), torch.ones(2))
        pairs = [unpacked(made) for made in (d * 2, torch.addmm(d, torch.ones(1, 1), torch.ones(1, 2)))]
    assert [pair.tangent.tolist() for pair in pairs] == [[2.0, 2.0], [[1.0, 1.0]]]
    assert not any(pair.tangent.requires_grad for pair in pairs)


def test_the_unpacked_value_stands_behind_a_node_of_cpp() -> None:
    with forward_ad.dual_level():
        primal, tangent = unpacked((dual() ** 3).sum())
        assert (type(primal.grad_fn).__name__, primal.grad_fn.name()) == ("CppFunction", "torch::autograd::Identity")
        assert repr(primal) == "tensor(9., grad_fn=<Identity>)"
        assert repr(tangent) == "tensor(15., grad_fn=<SumBackward0>)"


def test_the_gradient_of_a_tangent_has_no_tangent() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with forward_ad.dual_level():
        _, tangent = unpacked((forward_ad.make_dual(x, torch.ones(2)) ** 3).sum())
        (slope,) = torch.autograd.grad(tangent, x)
        assert repr(slope) == "tensor([ 6., 12.])"
