"""Writes in place: what is refused, and which refusal comes first, as on PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch

SHARED = r"^unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory"


def test_memory_is_looked_at_before_shapes() -> None:
    rows = torch.ones(2, 3)
    columns = rows.t()
    with pytest.raises(RuntimeError, match=SHARED):
        columns += rows
    with pytest.raises(RuntimeError, match=r"^unsupported operation: more than one element of the written-to tensor"):
        torch.ones(3).expand(2, 3).add_(torch.ones(4))


def test_where_an_argument_comes_from_is_asked_before_memory_is_looked_at() -> None:
    rows = torch.ones(2, 3, requires_grad=True) * 1
    row = rows.unbind(0)[1]
    with torch.no_grad():
        row.mul_(row)
    with pytest.raises(RuntimeError, match=r"^Output 1 of Unbind is a view and its base or another view of its base"):
        rows += row


def test_the_hooks_of_a_leaf_are_gone_once_it_was_written_over() -> None:
    seen: list[Any] = []
    leaf = torch.tensor([0.0, 0.75], requires_grad=True)
    leaf.register_hook(lambda gradient: seen.append(gradient.tolist()))
    view = leaf.view(-1)
    leaf.requires_grad_(False)
    leaf.mul_(view)
    with pytest.raises(RuntimeError, match="leaf variable has been moved into the graph interior"):
        leaf.sum().backward()
    assert seen == []
