"""Tensors print as real PyTorch printed them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from engine.printing import get_printoptions, options, printoptions, set_printoptions
from engine.printing.description import describe
from tests.oracle import judge
from tests.oracle.golden import golden
from tests.oracle.printing_cases import PrintingCase, printing_case

RECORDED = golden("printing")


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    yield
    set_printoptions(profile="default")


def printed(case: PrintingCase) -> str:
    array_type: Any = ml_dtypes.bfloat16 if case.dtype == "bfloat16" else case.dtype
    with np.errstate(over="ignore"):
        values = np.array(case.flat, None if case.flat else np.float64).astype(array_type).reshape(case.shape)
    set_printoptions(profile="default")
    set_printoptions(**case.options)
    return describe(
        values,
        case.dtype,
        default_dtype=case.default_dtype,
        requires_grad=case.requires_grad,
        grad_fn=case.grad_fn,
    )


@pytest.mark.parametrize("number", [int(number) for number in RECORDED])
def test_text_is_pytorchs(number: int) -> None:
    case = printing_case(number)
    assert printed(case) == RECORDED[str(number)], f"{case.dtype}{list(case.shape)} with {case.options}"


@judge.at_hand
def test_text_is_that_of_the_pytorch_at_hand() -> None:
    texts = judge.asked("record_printing", 100_000, 3_000)
    assert len(texts) == 3_000
    different = [number for number, text in texts.items() if printed(printing_case(int(number))) != text]
    assert not different


def test_options_given_are_set_and_the_rest_kept() -> None:
    set_printoptions(precision=2, sci_mode=True)
    set_printoptions(edgeitems=1)
    assert get_printoptions() == {
        "precision": 2,
        "threshold": 1000,
        "edgeitems": 1,
        "linewidth": 80,
        "sci_mode": None,  # as PyTorch: put back by every call that does not name it
    }


def test_options_of_a_block_end_with_it() -> None:
    with printoptions(precision=1):
        assert describe(np.array(0.25), "float32") == "tensor(0.2)"
    assert options.precision == 4


def test_a_subclass_is_called_by_its_name() -> None:
    assert describe(np.array([1.0, 2.0]), "float32", type_name="Kelvin") == "Kelvin([1., 2.])"
