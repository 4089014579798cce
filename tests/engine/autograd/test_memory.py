"""A dropped graph goes at once, without the garbage collector, whatever hangs on it; deep ones go without recursion."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from engine import torch
from engine.torch.utils import checkpoint


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        out = x * x
        ctx.save_for_backward(x, out)
        return out

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2 * ctx.saved_tensors[0]


def hooked(inner: Any) -> Any:
    inner.register_hook(lambda g: g)
    torch.autograd.graph.register_multi_grad_hook([inner], lambda g: None)
    out = inner.exp()
    out.grad_fn.register_hook(lambda i, o: None)
    return out.sum()


def sliced(inner: Any) -> Any:
    inner[0].mul_(3)
    return (inner * inner).sum()


def packed(inner: Any) -> Any:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
        return inner.exp().sum()


def run(inner: Any) -> Any:
    inner.retain_grad()
    out = (inner.exp() * inner).sum()
    out.backward()
    return out


MAKERS: dict[str, Callable[[Any], Any]] = {
    "saved twice": lambda inner: (inner * inner).sum(),
    "custom function": lambda inner: Square.apply(inner).sum(),
    "hooks": hooked,
    "CopySlices": sliced,
    "packed": packed,
    "checkpoint": lambda inner: checkpoint.checkpoint(lambda t: t.exp(), inner, use_reentrant=False).sum(),
    "views": lambda inner: sum(inner.unbind()),
    "raw handle": lambda inner: (inner.exp().grad_fn._raw_saved_result, inner)[0] and inner.exp().sum(),
    "second order": lambda inner: torch.autograd.grad((inner**3).sum(), inner, create_graph=True),
    "after backward": run,
}


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("name", MAKERS)
def test_a_dropped_graph_frees_its_tensors_at_once(name: str) -> None:
    leaf = torch.ones(3, requires_grad=True)
    inner = leaf * 2
    out = MAKERS[name](inner)
    watched = weakref.ref(inner)
    del inner
    del out
    assert watched() is None


@pytest.mark.parametrize(
    ("step", "slope"),
    [(Square.apply, math.inf), (lambda x: x.mul_(1.0), 1.0), (lambda x: x.view(1), 1.0)],
    ids=["custom function", "in place", "view"],
)
def test_a_chain_of_20_000_steps_is_run_and_dropped_without_recursion(step: Callable[[Any], Any], slope: float) -> None:
    leaf = torch.ones(1, requires_grad=True)
    x = leaf * 1
    for _ in range(20_000):
        x = step(x)
    x.sum().backward()
    del x
    assert leaf.grad.tolist() == [slope]
