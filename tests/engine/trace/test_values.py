"""A tensor's elements as a `Value`: whatever the element type and size, a document can hold them."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import numpy as np
import pytest

import engine.torch as torch
from engine.sandbox.check import checked
from engine.sandbox.limits import Limits as SandboxLimits
from engine.trace.parts import Value
from engine.trace.play import play
from engine.trace.values import WHOLE, spelled, text_of, value_of
from tests.engine.trace.said import everything_said

DTYPES = "bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128".split()


def again(value: Value) -> Value:
    """What a reader of the document gets, types checked."""
    return msgspec.json.decode(msgspec.json.encode(value), type=Value)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3), (WHOLE,), (WHOLE + 1,), (20, 30), (3, 0, 2)])
def test_a_value_of_any_type_and_size_is_one_that_the_document_declares(dtype: str, shape: tuple[int, ...]) -> None:
    array: Any = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2).astype(dtype)
    value = value_of(array, dtype)
    assert again(value) == value
    assert value_of(array.T, dtype).shape == list(shape[::-1])


def test_a_large_mask_ranges_from_zero_to_one() -> None:
    mask = np.zeros((10, 10), dtype=bool)
    mask[2:4] = True
    value = again(value_of(mask.T, "bool"))
    assert (value.low, value.high) == (0, 1)
    assert type(value.low) is type(value.high) is int


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_numbers_json_cannot_spell_are_left_out_of_the_range(name: str) -> None:
    tensor = torch.tensor([float("nan"), float("inf"), -float("inf"), *[0.5] * 100], dtype=getattr(torch, name))
    value = again(value_of(tensor.numpy() if name != "bfloat16" else tensor.float().numpy(), name))
    assert (value.low, value.high, value.nonfinite, value.nan) == (0.5, 0.5, 3, 1)


def test_a_program_with_a_large_mask_has_a_document() -> None:
    trace = play(
        "import torch\nm = torch.rand(30, 30) > 0.5\nx = torch.rand(30, 30, requires_grad=True)\nx[m].sum().backward()\n"
    )
    assert trace.outcome.status == "ok"
    assert msgspec.json.decode(msgspec.json.encode(trace), type=type(trace)) == trace


@pytest.mark.parametrize(
    "code",
    [
        "z = torch.tensor([1 + 2j, -0.5 - 1e-7j, complex(float('nan'), float('inf'))])",
        "z = torch.polar(torch.ones(3), torch.arange(3.0))",
        "f = torch.fft.fft(torch.arange(5.0)); g = torch.fft.fft2(torch.ones(20, 20))",
        "z = torch.tensor([1j, 2], requires_grad=True); (z * z.conj()).real.sum().backward()",
        "m = torch.rand(30, 30) > 0.5; k = torch.arange(200) % 3 == 0",
        "h = torch.rand(100).half(); b = torch.rand(100).bfloat16(); e = torch.zeros(0, 5); u = torch.ones(99, dtype=torch.uint8)",
        "x = torch.tensor([float('nan'), float('inf')] * 50); y = torch.tensor(-float('inf'))",
    ],
)
def test_a_program_with_any_kind_of_number_has_a_document_that_the_host_accepts(code: str) -> None:
    program = f"import torch\n{code}\n"
    trace, _ = checked(msgspec.json.encode(play(program)), program, SandboxLimits())
    assert trace.outcome.status == "ok"


@pytest.mark.parametrize("shape", [(), (1,), (8,), (9,), (1, 1, 1), (2, 3), (4, 4), (5, 4), (0,), (2, 0)])
@pytest.mark.parametrize("scale", [0.0, 1e-9, 1e-4, 1.0, 5e3, 1e5, 1e6, 1e20])
def test_floats_spelled_in_one_piece_read_as_when_spelled_one_by_one(shape: tuple[int, ...], scale: float) -> None:
    generator = np.random.default_rng(0)
    for array in (generator.standard_normal(shape) * scale, np.round(generator.standard_normal(shape) * scale)):
        elements = np.asarray(array, np.float32).ravel().tolist()
        told = value_of(np.asarray(array, np.float32), "float32")
        assert told.text == (text_of(list(shape), "float32", elements) if shape else spelled(elements[0]))
        assert told.data == elements


def test_people_read_a_minus_and_json_has_numbers() -> None:
    made = value_of(np.array([[-1.0, -2e-7], [0.5, float("-inf")]]), "float64")
    assert made.text == "[[−1, −2e−7], [0.5, −inf]]"
    assert made.data == [-1.0, -2e-7, 0.5, "-inf"]
    assert value_of(np.array(-3.0), "float64").text == "−3"


def test_negative_numbers_are_told_with_a_minus_everywhere() -> None:
    trace = play(
        "import torch\nx = torch.tensor(-2.0, requires_grad=True)\nw = torch.tensor([-1.0, 3.0], requires_grad=True)\n"
        "opt = torch.optim.SGD([w], lr=0.1)\ny = (x * w).sum()\ny.backward()\nopt.step()\ny.item()\n"
    )
    told = [text for text in everything_said(trace) if "Line " not in text]
    hyphens = [text for text in told if re.search(r"(?<![\w)\]])-\d", text)]
    assert hyphens == []
    assert any("−1" in text for text in told)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2,)])
@pytest.mark.parametrize(
    ("element", "faults"),
    [(1.5, (0, 0)), (np.inf, (1, 0)), (np.nan, (1, 1)), (complex(np.nan, 1), (1, 1)), (3j, (0, 0))],
)
def test_a_fault_counts_in_every_shape(shape: tuple[int, ...], element: complex, faults: tuple[int, int]) -> None:
    dtype = "complex64" if isinstance(element, complex) else "float32"
    value = value_of(np.full(shape, element, dtype), dtype)
    elements = max(1, sum(shape[:1]))
    assert (value.nonfinite, value.nan) == tuple(elements * fault for fault in faults)
    assert again(value) == value
