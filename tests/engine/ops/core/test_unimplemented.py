"""Operators that PyTorch gives no derivative leave its nodes: an edge for each tensor that needs a gradient, none for others."""

from __future__ import annotations

import pytest

from engine import torch

x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([2.0, 3.0])


@pytest.mark.parametrize(
    ("statement", "edges"),
    [
        ("torch.heaviside(x, y)", 1),
        ("torch.heaviside(y, x)", 1),
        ("torch.heaviside(x, x)", 2),
        ("x // y", 1),
        ("y // x", 1),
        ("7 // x", 1),
        ("(x * 1).floor_divide_(y)", 1),
        ("torch.histogram(x, 2).hist", 1),
        ("torch.histogram(y, torch.tensor([0.0, 1.0], requires_grad=True)).hist", 1),
        ("torch.histogram(y, 2, weight=x).bin_edges", 1),
    ],
)
def test_a_node_without_a_derivative_leads_to_what_needs_one(statement: str, edges: int) -> None:
    node = eval(statement).grad_fn
    assert node.name() == "torch::autograd::NotImplemented"
    assert len(node.next_functions) == edges
    assert all(receiver is not None for receiver, _ in node.next_functions)


def test_a_histogram_refuses_by_its_name() -> None:
    with pytest.raises(RuntimeError, match=r"^derivative for aten::histogram is not implemented$"):
        torch.histogram(x, 2).hist.sum().backward()


def test_rows_without_repeats_have_the_node_of_elements_without_repeats() -> None:
    rows = torch.unique_consecutive(x.expand(2, 2), dim=0)
    assert type(rows.grad_fn).__name__ == "UniqueConsecutiveBackward0"
    with pytest.raises(NotImplementedError, match=r"^the derivative for 'unique_consecutive' is not implemented\.$"):
        rows.sum().backward()
