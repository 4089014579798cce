"""Sizes that are worked out from small runs are those of the whole computation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine import torch
from engine.ops.meta import sizes

functional = torch.nn.functional


def form(result: Any) -> Any:
    """Shape, dtype and strides of a tensor; of each, if there are several."""
    if isinstance(result, tuple | list):
        return [form(part) for part in result]
    return tuple(result.shape), result.dtype, result.stride()


CALLS: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: x * 2 + x.exp(),
    "broadcast": lambda x: x + x[:, :1],
    "product": lambda x: x @ x.t(),
    "reduction": lambda x: (x.sum(), x.mean(0), x.var(1, keepdim=True), x.argmax(1)),
    "softmax": lambda x: x.log_softmax(-1),
    "sorted": lambda x: x.sort(dim=1),
    "best": lambda x: x.topk(3, dim=1),
    "joined": lambda x: torch.cat([x, x[:, :7]], 1),
    "stacked": lambda x: torch.stack([x, x], 1),
    "padded": lambda x: functional.pad(x, (1, 2)),
    "one row after the other": lambda x: x.t().reshape(-1),
    "convolution": lambda x: functional.conv1d(x[:, None], x.new_ones(4, 1, 5), stride=3, padding=2, dilation=2),
    "transposed convolution": lambda x: functional.conv_transpose1d(x[:, None], x.new_ones(1, 4, 5), stride=3),
    "image": lambda x: functional.conv2d(x[None, None], x.new_ones(2, 1, 3, 5), stride=(2, 3)),
    "pool": lambda x: functional.max_pool2d(x[None], 3, 2, ceil_mode=True),
    "patches": lambda x: functional.unfold(x[None, None], (3, 2), stride=2),
    "wider": lambda x: functional.interpolate(x[None], scale_factor=3),
    "pairs": lambda x: torch.einsum("ij,kj->ik", x, x),
    "repeated": lambda x: x.repeat(2, 3),
    "truth": lambda x: x > 0,
    "double": lambda x: x.double() * x,
    "turned": lambda x: x.t() + 1,
    "flipped": lambda x: (x.flip(0), x.roll(3, 1), x.diff(dim=1), x.tril()),
}


@pytest.mark.parametrize("name", CALLS)
def test_sizes_from_small_runs_are_those_of_the_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    call = CALLS[name]
    expected = form(call(torch.ones(403, 311)))
    monkeypatch.setattr(sizes, "LARGE", 1000)  # every call with x is large then
    assert form(call(torch.ones(403, 311, device="meta"))) == expected


@pytest.mark.parametrize("name", CALLS)
def test_small_forms_are_those_of_the_cpu(name: str) -> None:
    call = CALLS[name]
    assert form(call(torch.ones(13, 11, device="meta"))) == form(call(torch.ones(13, 11)))


def test_sizes_that_do_not_go_together_are_refused_though_nothing_is_computed() -> None:
    with pytest.raises(RuntimeError, match="a and b must have same reduction dim, but got"):
        torch.empty(10**6, 10**6, device="meta") @ torch.empty(10**6 - 1, 5, device="meta")


def test_a_complaint_names_the_sizes_of_the_call() -> None:
    images, filters = torch.empty(1000, 3, 224, 224, device="meta"), torch.empty(4, 1, 3, 3, device="meta")
    with pytest.raises(RuntimeError, match=r"expected input\[1000, 3, 224, 224\] to have 1 channels, but got 3"):
        functional.conv2d(images, filters)
