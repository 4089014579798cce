"""Passes inside passes: deep ones end, endless ones raise, and Python's limit is afterwards what it was."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import engine.torch as torch
from engine.autograd import reentrance


def nested(depth: float) -> Any:
    """A tensor whose backward starts a pass that starts a pass …, ``depth`` times."""

    class Deeper(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.left = x.item() - 1
            return x.clone()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            if ctx.left > 0:
                with torch.enable_grad():
                    Deeper.apply(torch.tensor(ctx.left, requires_grad=True)).backward()
            return gradient

    return Deeper.apply(torch.tensor(depth, requires_grad=True))


def test_passes_nest_far_deeper_than_pythons_calls_may() -> None:
    limit = sys.getrecursionlimit()
    nested(600.0).backward()
    assert sys.getrecursionlimit() == limit


def test_endless_nesting_ends_in_pythons_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reentrance, "DEEPEST", 2 * reentrance.STRETCH)
    limit = sys.getrecursionlimit()
    with pytest.raises(RecursionError):
        nested(float("inf")).backward()
    assert sys.getrecursionlimit() == limit
