"""Products are counted as PyTorch counts them: forward, backward, and in the module that asked for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import engine.torch as drop_in
from engine.nn.module import Module
from engine.torch.utils.flop_counter import FlopCounterMode
from engine.torch.utils.module_tracker import ModuleTracker

torch: Any = drop_in
nn = torch.nn
functional = nn.functional


def leaf(*shape: int) -> Any:
    return torch.ones(*shape, requires_grad=True)


COUNTS: dict[str, tuple[Callable[[], Any], dict[str, int], dict[str, int]]] = {
    "linear": (lambda: functional.linear(leaf(5, 4), leaf(3, 4), leaf(3)), {"aten.addmm": 120}, {"aten.mm": 240}),
    "vector": (lambda: leaf(3, 4) @ leaf(4), {}, {}),
    "stack": (lambda: leaf(2, 3, 4) @ leaf(2, 4, 5), {"aten.bmm": 240}, {"aten.bmm": 480}),
    "added": (
        lambda: torch.baddbmm(leaf(2, 3, 5), leaf(2, 3, 4), leaf(2, 4, 5)),
        {"aten.baddbmm": 240},
        {"aten.bmm": 480},
    ),
    "convolution": (
        lambda: functional.conv2d(leaf(2, 3, 8, 8), leaf(4, 3, 3, 3), leaf(4), padding=1),
        {"aten.convolution": 27648},
        {"aten.convolution_backward": 55296},
    ),
    "convolution of data": (
        lambda: functional.conv2d(torch.ones(2, 3, 8, 8), leaf(4, 3, 3, 3), stride=2),
        {"aten.convolution": 3888},
        {"aten.convolution_backward": 3888},
    ),
    "transposed": (
        lambda: functional.conv_transpose2d(leaf(2, 3, 8, 8), leaf(3, 4, 3, 3)),
        {"aten.convolution": 27648},
        {"aten.convolution_backward": 55296},
    ),
}
"""By what is counted: a function, and PyTorch's counts of it and of its backward pass."""


@pytest.mark.parametrize("name", COUNTS)
def test_products_are_counted_as_in_pytorch(name: str) -> None:
    function, forward, backward = COUNTS[name]
    with FlopCounterMode(display=False) as counter:
        result = function()
    assert {str(o): n for o, n in counter.get_flop_counts()["Global"].items()} == forward
    assert counter.get_total_flops() == sum(forward.values())
    with FlopCounterMode(display=False) as counter:
        result.sum().backward()
    assert {str(o): n for o, n in counter.get_flop_counts()["Global"].items()} == backward


class Net(Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(3, 4)
        self.b = nn.Sequential(nn.ReLU(), nn.Linear(4, 2))

    def forward(self, x: Any) -> Any:
        return self.b(self.a(x))


def test_modules_get_what_they_asked_for_backward_too() -> None:
    with FlopCounterMode(display=False) as counter:
        Net()(torch.ones(5, 3)).sum().backward()
    told = {name: {str(o): n for o, n in sorted(c.items(), key=str)} for name, c in counter.get_flop_counts().items()}
    assert told == {
        "Global": {"aten.addmm": 200, "aten.mm": 280},
        "Net": {"aten.addmm": 200, "aten.mm": 280},
        "Net.a": {"aten.addmm": 120, "aten.mm": 120},
        "Net.b": {"aten.addmm": 80, "aten.mm": 160},
        "Net.b.1": {"aten.addmm": 80, "aten.mm": 160},
    }


def test_table_goes_down_to_the_depth_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with FlopCounterMode(depth=1) as counter:
        Net()(torch.ones(5, 3))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:1] + lines[2:]] == [
        ["Module", "FLOP", "%", "Total"],
        ["Global", "200", "100.00%"],
        ["-", "aten.addmm", "200", "100.00%"],
        ["Net", "200", "100.00%"],
        ["-", "aten.addmm", "200", "100.00%"],
    ]
    assert "Net.a" in counter.get_table(depth=2)


def test_further_operators_can_be_counted() -> None:
    with FlopCounterMode(
        display=False, custom_mapping={torch.ops.aten.sin: lambda shape, **more: 3 * shape[0]}
    ) as counter:
        torch.ones(4).sin().cos()
    assert counter.get_total_flops() == 12


def test_tracker_names_the_modules_at_work() -> None:
    seen: list[Any] = []
    net, tracker = Net(), ModuleTracker()
    net.b[0].register_forward_hook(lambda *_: seen.append(sorted(tracker.parents)))
    net.b[0].register_full_backward_hook(lambda *_: seen.append((tracker.is_bw, "Net.b" in tracker.parents)))
    with tracker:
        net(torch.ones(1, 3)).sum().backward()
        assert (tracker.parents, tracker.is_bw) == ({"Global"}, False)
    assert seen == [["Global", "Net", "Net.b"], (True, True)]
