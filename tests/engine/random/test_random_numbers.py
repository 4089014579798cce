"""Every distribution against what real PyTorch drew: values to the bit, and the generator's state afterwards."""

from __future__ import annotations

import hashlib

import ml_dtypes
import numpy as np
import pytest

import engine.random
from engine.random import distributions
from tests.oracle.golden import golden
from tests.oracle.random_cases import SEEDS, cases

RECORDED = golden("random")
NAMES = {
    **{name: getattr(distributions, name) for name in distributions.__all__},
    "np": np,
    "f16": np.dtype(np.float16), "f32": np.dtype(np.float32), "f64": np.dtype(np.float64),
    "bf16": np.dtype(ml_dtypes.bfloat16), "i64": np.dtype(np.int64), "i32": np.dtype(np.int32),
    "u8": np.dtype(np.uint8), "b1": np.dtype(np.bool_), "c64": np.dtype(np.complex64), "c128": np.dtype(np.complex128),
}  # fmt: skip


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


@pytest.mark.filterwarnings("ignore:.*is out of bounds:UserWarning")
@pytest.mark.parametrize("name", cases())
def test_draw_and_state_are_pytorchs_to_the_bit(name: str) -> None:
    expression = cases()[name][1]
    for seed in SEEDS:
        generator = engine.random.Generator(seed)
        expected = RECORDED[f"{name} seed {seed}"]
        try:
            value = eval(expression, {**NAMES, "g": generator})
        except Exception as refusal:
            assert {"error": f"{type(refusal).__name__}: {refusal}".splitlines()[0]} == expected
            continue
        seen = {
            "dtype": value.dtype.name,
            "shape": list(value.shape),
            "bits": digest(np.ascontiguousarray(value).tobytes()),
            "state": digest(generator.state_bytes()),
            "first": [str(each) for each in value.reshape(-1)[:3].tolist()],
        }
        assert seen == expected, f"{expression} after manual_seed({seed})"


def test_every_recorded_draw_has_a_case() -> None:
    assert set(RECORDED) == {f"{name} seed {seed}" for name in cases() for seed in SEEDS}
