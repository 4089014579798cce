"""Blocks and decorators of autocast: custom Functions follow the mode they were called in."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch


def function(**casting: Any) -> Any:
    """A custom Function that notes the dtypes it meets."""

    class Product(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", **casting)
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            return a @ b

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx: Any, grad: Any) -> Any:
            a, b = ctx.saved_tensors
            seen.append((a @ b).dtype)
            return grad @ b.t(), a.t() @ grad

    seen: list[Any] = []
    Product.seen = seen
    return Product


def test_backward_of_a_custom_function_runs_in_the_mode_of_its_forward() -> None:
    product, x = function(), torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        result = product.apply(x, x)
    result.float().sum().backward()
    assert result.dtype is torch.bfloat16
    assert product.seen == [torch.bfloat16]


def test_a_custom_function_can_ask_for_full_precision() -> None:
    product, x = function(cast_inputs=torch.float32), torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        result = product.apply(x.bfloat16(), x)
    result.sum().backward()
    assert result.dtype is torch.float32
    assert product.seen == [torch.float32]


def test_the_older_spelling_warns() -> None:
    with (
        pytest.warns(FutureWarning, match=r"torch.cpu.amp.autocast\(args...\)` is deprecated"),
        torch.cpu.amp.autocast(),
    ):
        assert torch.is_autocast_enabled("cpu")
