"""Nothing is left behind by a pass, whatever took part in it: the collector never has anything to do."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

from engine import torch
from engine.torch.utils import checkpoint

WEIGHT = torch.tensor([0.5, -1.0, 2.0, 0.25], requires_grad=True)
ROWS = torch.linspace(-1, 1, 20).reshape(5, 4)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x * grad


def custom() -> None:
    Square.apply(WEIGHT).sum().backward()


def closures() -> None:
    seen: list[Any] = []
    inner = WEIGHT * 2
    inner.register_hook(seen.append)
    inner.grad_fn.register_hook(lambda inputs, outputs: seen.extend(outputs))
    inner.retain_grad()
    inner.sum().backward()


def twice() -> None:
    (slope,) = torch.autograd.grad((WEIGHT**3).sum(), WEIGHT, create_graph=True)
    (slope * slope).sum().backward(inputs=[WEIGHT])


def recomputed() -> None:
    checkpoint.checkpoint(lambda z: (z * z).tanh(), WEIGHT, use_reentrant=False).sum().backward()


def written_views() -> None:
    base = WEIGHT * 1
    base[1:].mul_(2)
    base.view(2, 2).t()[0].add_(1)
    base.sum().backward()


def refused() -> None:
    inner = WEIGHT * 2
    out = inner * inner
    inner.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def shared_gradients() -> None:
    a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    loss = a.sum() + b.sum()
    loss.backward(retain_graph=True)
    loss.backward()


LAYERS = [
    torch.nn.LSTM(4, 3, batch_first=True), torch.nn.GRU(4, 3), torch.nn.MultiheadAttention(4, 2, batch_first=True),
]  # fmt: skip


def layers() -> None:
    for layer in LAYERS:
        out = layer(*[ROWS[None]] * (3 if isinstance(layer, torch.nn.MultiheadAttention) else 1))[0]
        out.sum().backward()


MODEL = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3), torch.nn.Tanh())
OPTIMIZERS = [torch.optim.SGD(MODEL.parameters(), lr=0.1, momentum=0.9), torch.optim.Adam(MODEL.parameters(), lr=0.1)]


def training() -> None:
    for optimizer in OPTIMIZERS:
        optimizer.zero_grad()
        MODEL(ROWS).square().mean().backward()
        optimizer.step()


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize(
    "run",
    [custom, closures, twice, recomputed, written_views, refused, shared_gradients, layers, training],
    ids=lambda run: run.__name__,
)
def test_a_repeated_pass_leaves_nothing_behind(run: Callable[[], None]) -> None:
    def repeat(times: int) -> int:
        for _ in range(times):
            run()
            WEIGHT.grad = None
        return len(gc.get_objects())

    before = repeat(20)
    assert repeat(60) - before < 20
