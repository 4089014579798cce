"""The limits of floating types, numpy's and bfloat16; torch.finfo's numbers are PyTorch's."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from engine.dtype import bfloat16, float32
from engine.float_limits import float_limits


def test_bfloat16_has_limits_as_numpys_types_have() -> None:
    found = float_limits(bfloat16.array)
    assert (float(found.max), float(found.eps), int(found.nmant)) == (3.3895313892515355e38, 0.0078125, 7)
    assert float(float_limits(float32.array).max) == 3.4028234663852886e38


def test_whole_numbers_have_no_floating_limits() -> None:
    with pytest.raises(ValueError, match="not inexact"):
        float_limits(np.dtype(np.int64))


def test_importing_torch_does_not_import_the_bfloat16_that_few_programs_use() -> None:
    check = "import sys, engine.torch; print('ml_dtypes' in sys.modules, engine.torch.ones(2).bfloat16())"
    shown = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout
    assert shown == "False tensor([1., 1.], dtype=torch.bfloat16)\n"
