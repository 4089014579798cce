"""What modules and optimizers tell whoever watches: scopes, modes, cleared gradients, steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine import torch
from engine.observe import Listener, state

nn = torch.nn


class Notes(Listener):
    """Writes down what it hears of modules and training."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def scope_entered(self, kind: str, title: str, subject: Any) -> None:
        self.heard.append(("enter", kind, title))

    def scope_left(self, kind: str = "module") -> None:
        self.heard.append("leave")

    def mode_changed(self, mode: str, enabled: bool, module: Any = None) -> None:
        if mode == "training":
            self.heard.append((mode, enabled, module))

    def gradients_zeroed(self, tensors: Any, to_none: bool) -> None:
        self.heard.append(("zeroed", len(tensors), to_none))

    def optimizer_stepping(self, optimizer: Any) -> None:
        self.heard.append("stepping")

    def optimizer_stepped(self, optimizer: Any) -> None:
        self.heard.append("stepped")

    def written(self, tensor: Any, operator: str, before: int, after: int, node: Any) -> None:
        self.heard.append(("written", operator))


@pytest.fixture
def notes() -> Iterator[Notes]:
    notes = Notes()
    state.listener = notes
    yield notes
    state.listener = None


def net() -> Any:
    return nn.Sequential(nn.Linear(2, 2), nn.ReLU())


def test_a_call_reports_its_module_and_those_below_it(notes: Notes) -> None:
    model = net()
    notes.heard.clear()
    model(torch.ones(1, 2))
    assert [n for n in notes.heard if n == "leave" or n[0] == "enter"] == [
        ("enter", "module", "Sequential"),
        ("enter", "module", "Linear"),
        "leave",
        ("enter", "module", "ReLU"),
        "leave",
        "leave",
    ]


def test_a_module_that_raises_is_left(notes: Notes) -> None:
    model = net()
    notes.heard.clear()
    with pytest.raises(RuntimeError):
        model(torch.ones(1, 3))
    assert notes.heard.count("leave") == 2


def test_switching_the_mode_of_a_tree_is_one_report(notes: Notes) -> None:
    model = net()
    notes.heard.clear()
    model.eval()
    assert notes.heard == [("training", False, model)]


@pytest.mark.parametrize("to_none", [True, False])
def test_clearing_gradients_is_one_report(notes: Notes, to_none: bool) -> None:
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    notes.heard.clear()
    optimizer.zero_grad(set_to_none=to_none)
    assert notes.heard == [("zeroed", 2, to_none)]


def test_clearing_what_is_clear_says_nothing(notes: Notes) -> None:
    model = net()
    notes.heard.clear()
    model.zero_grad()
    assert notes.heard == []


def test_a_step_is_two_reports_and_hides_its_own_arithmetic(notes: Notes) -> None:
    model = net()
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 2)).sum().backward()
    notes.heard.clear()
    optimizer.step()
    assert notes.heard == ["stepping", "stepped"]


def test_a_persons_own_optimizer_shows_its_writes_between_the_reports(notes: Notes) -> None:
    class Mine(torch.optim.Optimizer):
        def __init__(self, params: Any) -> None:
            super().__init__(params, {"lr": 0.1})

        @torch.no_grad()
        def step(self) -> None:
            for group in self.param_groups:
                for param in group["params"]:
                    param.sub_(group["lr"] * param.grad)

    parameter = nn.Parameter(torch.ones(1))
    (parameter * 2).sum().backward()
    optimizer = Mine([parameter])
    notes.heard.clear()
    optimizer.step()
    assert notes.heard == ["stepping", ("written", "sub_"), "stepped"]
