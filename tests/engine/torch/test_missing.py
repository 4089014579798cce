"""Names that PyTorch has and we have not are refused in words."""

from __future__ import annotations

import pytest

from engine import torch
from engine.errors import NotHere
from engine.torch.missing import INTERNALS


@pytest.mark.parametrize("name", sorted(INTERNALS))
def test_an_internal_that_pytorchs_tests_ask_for_is_refused_by_name(name: str) -> None:
    tensor = torch.ones(1)
    with pytest.raises(NotHere, match=f"torch.Tensor.{name}, this engine does not. It is about PyTorch's C"):
        getattr(tensor, name)
    assert not hasattr(tensor, name)
    assert name not in dir(tensor)


def test_any_other_private_name_is_just_not_there() -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(torch.ones(1), "_nobody")  # noqa: B009 (asked by name)
    assert not isinstance(caught.value, NotHere)
