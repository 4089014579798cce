"""What waits for its shape refuses whatever needs one, in PyTorch's first words. Behaviour from PyTorch 2.13."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest

from engine import torch
from engine.torch import nn


@pytest.mark.parametrize(
    "use",
    [
        lambda w: w + 1,
        lambda w: 1 - w,
        lambda w: w[0],
        lambda w: w == w,
        lambda w: f"{w}",
        len,
        bool,
        operator.methodcaller("sum"),
        operator.methodcaller("numel"),
        operator.methodcaller("dim"),
        operator.methodcaller("detach"),
        operator.methodcaller("clone"),
        operator.methodcaller("requires_grad_", False),
        operator.methodcaller("register_hook", print),
    ],
)
@pytest.mark.parametrize("make", [nn.UninitializedParameter, nn.UninitializedBuffer])
def test_what_needs_a_shape_is_refused(make: Callable[[], Any], use: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter in"):
        use(make())


def test_sharing_memory_is_refused() -> None:
    with pytest.raises(RuntimeError, match="Can't share memory on an uninitialized parameter or buffer"):
        nn.LazyLinear(2).weight.share_memory_()


def test_what_needs_no_shape_is_answered() -> None:
    weight = nn.LazyLinear(2).weight
    assert repr(weight) == "<UninitializedParameter>"
    assert (weight.dtype, weight.requires_grad, weight.is_leaf, weight.grad) == (torch.float32, True, True, None)
    assert weight.is_floating_point()
    assert nn.LazyLinear(2).double().weight.dtype is torch.float64


def test_a_materialised_parameter_is_an_ordinary_one() -> None:
    parameter = nn.UninitializedParameter(dtype=torch.float64)
    parameter.materialize((2, 3))
    assert type(parameter) is nn.Parameter
    assert (parameter.shape, parameter.dtype) == ((2, 3), torch.float64)
    assert (parameter + 1).shape == (2, 3)


def test_a_lazy_layer_takes_the_shapes_that_it_loads_and_then_computes() -> None:
    trained, lazy = nn.Linear(3, 2), nn.LazyLinear(2)
    lazy.load_state_dict(trained.state_dict())
    assert type(lazy) is nn.LazyLinear
    x = torch.ones(1, 3)
    assert lazy(x).tolist() == trained(x).tolist()
    assert (type(lazy), lazy.in_features) == (nn.Linear, 3)
