"""Rules of custom Functions inside vmap: what the examples share, and what nobody sees of the runs ahead."""

from __future__ import annotations

from typing import Any

import pytest

import engine.torch as torch
from engine.torch.func import grad, vmap
from engine.trace.play import play

calls: list[tuple[int, ...]] = []


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return x**3

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 3 * g * x**2

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any) -> Any:
        calls.append(tuple(x.shape))
        return Cube.apply(x), in_dims[0]


def test_nested_vmaps_agree_with_the_whole() -> None:
    x = torch.arange(6.0).view(3, 2)
    assert vmap(vmap(Cube.apply))(x).equal(x**3)
    assert vmap(vmap(grad(Cube.apply)))(x).equal(3 * x**2)


def test_what_the_runs_ahead_print_is_not_printed_twice(capsys: pytest.CaptureFixture[str]) -> None:
    calls.clear()

    def f(t: Any) -> Any:
        print("example", float(t.detach().shape[0]))
        return Cube.apply(Cube.apply(t)).sum()

    x = torch.ones(3, 2)
    assert vmap(f)(x).tolist() == [2.0, 2.0, 2.0]
    assert capsys.readouterr().out.count("example") == 1
    assert calls == [(3, 2), (3, 2)]


def test_examples_that_go_different_ways_are_told_so() -> None:
    turns: list[int] = []

    def f(t: Any) -> Any:
        turns.append(1)
        return Cube.apply(t) if len(turns) == 1 else t

    with pytest.raises(RuntimeError, match="do not call the same custom Functions"):
        vmap(f)(torch.ones(2))


def test_a_rule_shows_in_the_trace_once() -> None:
    trace = play(
        "import torch\n"
        "class Double(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(x):\n"
        "        return x * 2\n"
        "    @staticmethod\n"
        "    def setup_context(ctx, inputs, output):\n"
        "        pass\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        return g * 2\n"
        "    @staticmethod\n"
        "    def vmap(info, in_dims, x):\n"
        "        print(info.batch_size, in_dims)\n"
        "        return Double.apply(x), 0\n"
        "x = torch.ones(2, 2, requires_grad=True)\n"
        "torch.vmap(Double.apply)(x).sum().backward()\n"
        "print(x.grad)\n"
    )
    assert trace.outcome.status == "ok", trace.outcome
    assert trace.stdout == "2 (0,)\ntensor([[2., 2.],\n        [2., 2.]])\n"
    assert sum(node.name == "DoubleBackward" for node in trace.nodes) == 1
