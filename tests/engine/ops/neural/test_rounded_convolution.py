"""Small convolutions of float32 and their gradients equal oneDNN's AVX2 kernels to the last bit (`tests.oracle.convolution_digits`)."""

from __future__ import annotations

import pytest

from engine import torch
from tests.oracle.convolution_digits import CASES, Case, answers
from tests.oracle.golden import golden

RECORDED = golden("digits")


@pytest.mark.parametrize("case", CASES)
def test_every_bit_is_pytorchs(case: Case) -> None:
    assert answers(torch, case) == RECORDED[str(list(case))]
