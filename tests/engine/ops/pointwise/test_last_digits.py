"""Elementwise functions of float32 equal PyTorch's to the last bit (`tests.oracle.digits`), whatever the number of elements."""

from __future__ import annotations

import pytest

from engine import torch
from tests.oracle.digits import FUNCTIONS, SIZES, answers
from tests.oracle.golden import golden

RECORDED = golden("digits")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_bit_is_pytorchs(name: str, size: int) -> None:
    assert answers(torch, name, size) == RECORDED[f"{name} of {size}"]
