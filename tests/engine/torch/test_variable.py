"""``Variable(…)`` of old programs: a leaf, PyTorch's warning about ``volatile``, and PyTorch's refusals."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch
from engine.torch.autograd import Variable


def test_variable_is_a_leaf_on_the_same_storage() -> None:
    data = torch.ones(2)
    made = Variable(data, requires_grad=True)
    assert (made.is_leaf, made.requires_grad, made.data_ptr() == data.data_ptr()) == (True, True, True)
    assert repr(Variable(requires_grad=True)) == "tensor([], requires_grad=True)"
    number: Any = 3
    assert Variable(torch.ones(1), number).requires_grad


def test_volatile_is_warned_of_and_has_no_effect() -> None:
    with pytest.warns(UserWarning, match="volatile was removed and now has no effect"):
        made = Variable(torch.ones(1), volatile=True)
    assert not made.requires_grad


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "message"),
    [
        ((3,), {}, TypeError, "Variable data has to be a tensor, but got int"),
        (([1.0],), {}, TypeError, "Variable data has to be a tensor, but got list"),
        ((torch.ones(1),), {"foo": 1}, TypeError, "'foo' is an invalid keyword argument for this function"),
        ((torch.ones(1), None), {}, TypeError, "'NoneType' object cannot be interpreted as an integer"),
        (
            (torch.tensor([1]), True),
            {},
            RuntimeError,
            "Only Tensors of floating point and complex dtype can require gradients",
        ),
    ],
)
def test_what_is_no_variable_is_refused(
    args: tuple[Any, ...], kwargs: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as refused:
        Variable(*args, **kwargs)
    assert str(refused.value) == message
