"""Making tensors: same values, types, strides, random numbers and refusals as real PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

from engine import torch
from tests.oracle.creation_cases import EXPRESSIONS
from tests.oracle.golden import golden
from tests.oracle.outcome import outcome

pytestmark = pytest.mark.usefixtures("own_generator_state")
RECORDED = golden("creation")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_tensor_is_made_or_refused_as_on_pytorch(expression: str) -> None:
    assert outcome(expression, torch) == RECORDED[expression]


def test_from_numpy_shares_memory_both_ways() -> None:
    array = np.zeros(3, np.float32)
    tensor = torch.from_numpy(array)
    array[0] = 5
    assert tensor.tolist() == [5.0, 0.0, 0.0]
    tensor.fill_(7)
    assert array.tolist() == [7.0, 7.0, 7.0]


def test_as_tensor_gives_the_tensor_itself_back() -> None:
    tensor = torch.ones(2)
    assert torch.as_tensor(tensor) is tensor


def test_copying_a_tensor_by_tensor_is_advised_against() -> None:
    with pytest.warns(UserWarning, match="it is recommended to use sourceTensor.detach"):
        torch.tensor(torch.ones(2))


def test_a_draw_sends_zero_gradient_to_its_parameters() -> None:
    mean = torch.zeros(3, requires_grad=True)
    torch.normal(mean, 1.0).sum().backward()
    assert mean.grad is not None
    assert mean.grad.tolist() == [0.0, 0.0, 0.0]


def test_overwriting_with_random_numbers_stops_the_gradient() -> None:
    leaf = torch.ones(3, requires_grad=True)
    (leaf * 2).uniform_().sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [0.0, 0.0, 0.0]


def test_fork_rng_leaves_the_default_generator_as_it_was() -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state().tolist()
    with torch.random.fork_rng():
        torch.randn(5)
    assert torch.get_rng_state().tolist() == before


def test_a_tensor_remembers_nothing_of_the_tensors_it_was_copied_from() -> None:
    leaf = torch.tensor(2.0, requires_grad=True)
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        copied = torch.tensor([leaf, leaf * 3])
    assert not copied.requires_grad
    assert copied.tolist() == [2.0, 6.0]
