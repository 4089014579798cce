"""Derivatives on bare arrays: the same numbers as on tensors, and tensors where arrays would not do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import torch
from engine.ops.core.catalogue import operators
from engine.ops.core.on_arrays import METHODS, on_arrays

PRODUCT: Any = next(operator for operator in operators() if operator.name == "mm").sources["self"]
LEFT, RIGHT = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((3, 2), np.float32)


def test_a_derivative_made_of_matrix_products_runs_on_arrays() -> None:
    bare = on_arrays(PRODUCT)
    assert bare is not None
    np.testing.assert_array_equal(bare(LEFT, RIGHT.T), LEFT @ RIGHT)


def test_a_derivative_that_needs_a_method_numpy_lacks_is_left_to_tensors() -> None:
    assert on_arrays(lambda grad, mask: grad.masked_fill(mask, 0)) is None


def test_a_derivative_that_asks_who_needs_it_is_left_to_tensors() -> None:
    assert on_arrays(lambda grad, needs: grad if needs[0] else None) is None


@pytest.mark.parametrize("name", sorted(set(METHODS.values())))
def test_every_method_that_is_exchanged_for_exists_on_arrays(name: str) -> None:
    assert callable(getattr(np.ndarray, name))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_gradients_are_equal_with_and_without_a_graph_of_their_own(dtype: str) -> None:
    """With ``create_graph`` derivatives run on tensors, without it on arrays."""
    torch.manual_seed(0)
    kind = getattr(torch, dtype)
    inputs = [torch.randn(*shape).to(kind).requires_grad_() for shape in ((4, 3), (5, 3), (5,))]

    def gradients(create_graph: bool) -> list[Any]:
        hidden = torch.nn.functional.linear(*inputs)
        loss = (hidden.tanh() ** 3).mean() + (hidden.t() @ hidden).reshape(-1).sum()
        found: list[Any] = torch.autograd.grad(loss, inputs, create_graph=create_graph)
        return found

    for bare, recorded in zip(gradients(False), gradients(True), strict=True):
        assert torch.equal(bare, recorded.detach())
