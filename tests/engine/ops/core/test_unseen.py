"""What is computed at once, where nobody could tell of which operations it is composed, comes out as composed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import torch

STACKS = [
    ((2, 2, 3), (2, 3, 4)),
    ((5, 1, 9), (5, 9, 2)),
    ((2, 3, 4, 5), (2, 3, 5, 6)),
    ((5, 2, 3), (3, 4)),
    ((2, 4, 12, 16), (16, 5)),
    ((0, 2, 3), (0, 3, 4)),
]


@pytest.mark.parametrize(("left", "right"), STACKS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_product_that_nobody_watches_has_the_composed_ones_bits(
    left: tuple[int, ...], right: tuple[int, ...], dtype: Any
) -> None:
    torch.manual_seed(0)
    by_rows, two = torch.randn(left, dtype=dtype), torch.randn(right, dtype=dtype)
    for one in (by_rows, by_rows.mT.contiguous().mT):
        unseen = torch.matmul(one, two)
        assert_alike(unseen, torch.matmul(one.detach().requires_grad_(), two))


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("shape", [(1, 1, 4, 8), (2, 3, 5, 16)])
def test_attention_that_nobody_watches_has_the_recorded_ones_bits(shape: tuple[int, ...], is_causal: bool) -> None:
    torch.manual_seed(0)
    query, key, value = (torch.randn(shape) for _ in range(3))
    attention = torch.nn.functional.scaled_dot_product_attention
    unseen = attention(query, key, value, is_causal=is_causal)
    assert_alike(unseen, attention(query.requires_grad_(), key, value, is_causal=is_causal))


def test_a_mode_that_looks_on_is_shown_every_operation() -> None:
    from engine.torch.utils._python_dispatch import TorchDispatchMode

    seen: list[str] = []

    class Watching(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    with Watching():
        torch.ones(2, 2, 3) @ torch.ones(2, 3, 4)
    assert "aten.bmm.default" in seen


def assert_alike(one: Any, other: Any) -> None:
    """Bits, form and place in memory."""
    assert one.shape == other.shape
    assert one.stride() == other.stride()
    assert np.array_equal(one.detach().numpy(), other.detach().numpy())
