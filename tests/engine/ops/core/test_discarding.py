"""Imaginary parts are never dropped without a word; PyTorch warns of the same calls, once in a process."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest

import engine.torch as torch
from engine.tensor import Tensor

MESSAGE = "Casting complex values to real discards the imaginary part"


def complex_number() -> Tensor:
    made: Tensor = torch.tensor([1 + 2j])
    return made


def test_setting_an_element_warns() -> None:
    x = torch.zeros(2)
    with pytest.warns(UserWarning, match=MESSAGE):
        x[0] = complex_number()[0]
    assert x.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "convert",
    [
        lambda z: z.float(),
        lambda z: z.to(torch.float64),
        lambda z: z.int(),
        lambda z: z.half(),
        lambda z: z.type(torch.float32),
        lambda z: z.type_as(torch.ones(1)),
        lambda z: torch.as_tensor(z, dtype=torch.float32),
        lambda z: torch.zeros(1).copy_(z),
        lambda z: torch.zeros(1).fill_(z[0]),
    ],
)
def test_a_conversion_that_drops_imaginary_parts_warns_at_the_line_that_asked(
    convert: Callable[[Tensor], Tensor],
) -> None:
    with pytest.warns(UserWarning, match=MESSAGE) as caught:
        made = convert(complex_number())
    assert made.item() == 1
    assert [warning.filename for warning in caught] == [__file__]


def test_copying_a_complex_tensor_as_a_real_one_warns_of_both() -> None:
    with pytest.warns(UserWarning, match="To copy construct"), pytest.warns(UserWarning, match=MESSAGE):
        made = torch.tensor(complex_number(), dtype=torch.float32)
    assert made.item() == 1


@pytest.mark.parametrize(
    "convert",
    [
        lambda z: z.bool(),
        lambda z: z.to(torch.complex128),
        lambda z: z.real.double(),
        lambda z: z[:0].float(),
        lambda z: z.abs().float(),
    ],
)
def test_a_conversion_that_drops_none_is_silent(convert: Callable[[Tensor], Tensor]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        convert(complex_number())


def test_the_way_back_through_a_real_input_is_silent() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (x * (1 + 2j)).abs().sum().backward()
        x.to(torch.complex64).abs().sum().backward()
    assert x.grad.tolist() == pytest.approx([3.2360680103, 3.2360680103])
