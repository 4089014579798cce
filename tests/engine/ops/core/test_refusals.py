"""What functions of ``torch.nn.functional`` say to a list where a tensor must stand: PyTorch's words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import engine.torch as torch

F = torch.nn.functional
IMAGE = torch.ones(1, 1, 4, 4)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: F.fold(x, 2, 1), TypeError, "col2im(): argument 'input' (position 1) must be Tensor, not list"),
        (lambda x: F.grid_sample(x, IMAGE), TypeError, "grid_sampler(): argument 'input' (position 1) must be Tensor, not list"),
        (lambda x: F.linear(x, IMAGE), TypeError, "linear(): argument 'input' (position 1) must be Tensor, not list"),
        (lambda x: F.linear(input=x), TypeError, "linear(): argument 'input' must be Tensor, not list"),
        (lambda x: F.avg_pool2d(input=x), TypeError, "avg_pool2d(): argument 'input' must be Tensor, not list"),
        (lambda x: F.conv1d(x, IMAGE, stride=2), TypeError, "invalid combination of arguments - got (list, Tensor, stride=int)"),
        (F.dropout2d, AttributeError, "'list' object has no attribute 'dim'"),
        (lambda x: F.affine_grid(x, [1, 1, 2, 2]), AttributeError, "'list' object has no attribute 'is_floating_point'"),
        (lambda x: F.lp_pool2d(x, 2, 2), AttributeError, "'list' object has no attribute 'pow'"),
        (lambda x: F.cross_entropy(x, IMAGE), TypeError, "cross_entropy_loss(): argument 'input' (position 1) must be Tensor, not list"),
        (lambda x: F.cross_entropy(input=x), TypeError, "cross_entropy() missing 1 required positional argument: 'target'"),
        (lambda x: F.binary_cross_entropy(input=x), TypeError, "binary_cross_entropy() missing 1 required positional argument: 'target'"),
    ],
)  # fmt: skip
def test_a_list_in_a_tensors_place_is_refused_in_pytorchs_words(
    call: Callable[[Any], Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=re.escape(words)):
        call([1.0])
