"""``assert_close``: what agrees passes, and what does not is reported in PyTorch's words (recorded from torch 2.13.0)."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch

A = torch.tensor([1.0, 2.0, 3.0])
NAN = torch.tensor([float("nan")])


@pytest.mark.parametrize(
    ("actual", "expected", "settings"),
    [
        (A, A + 1e-8, {}),
        (A, A + 0.1, {"atol": 0.2, "rtol": 0}),
        (NAN, NAN, {"equal_nan": True}),
        (A, A.double(), {"check_dtype": False}),
        (None, None, {}),
        ([A, {"x": 1}], [A, {"x": 1}], {}),
        (A, A.clone().requires_grad_(), {}),
    ],
)
def test_what_agrees_passes(actual: Any, expected: Any, settings: dict[str, Any]) -> None:
    torch.testing.assert_close(actual, expected, **settings)


TENSORS = """Tensor-likes are not close!

Mismatched elements: 3 / 3 (100.0%)
Greatest absolute difference: 1.0 at index (0,) (up to 1e-05 allowed)
Greatest relative difference: 0.5 at index (0,) (up to 1.3e-06 allowed)"""


@pytest.mark.parametrize(
    ("actual", "expected", "message"),
    [
        (A, A + 1, TENSORS),
        ([A, A], [A, A + 1], f"{TENSORS}\n\nThe failure occurred for item [1]"),
        ({"x": A}, {"x": A + 1}, f"{TENSORS}\n\nThe failure occurred for item ['x']"),
        (A, A.double(), "The values for attribute 'dtype' do not match: torch.float32 != torch.float64."),
        (A, A[:2], "The values for attribute 'shape' do not match: torch.Size([3]) != torch.Size([2])."),
        (
            1.0,
            1.1,
            (
                "Scalars are not close!\n\nExpected 1.1 but got 1.0.\nAbsolute difference: 0.10000000000000009 (up to 1e-07 allowed)\n"
                "Relative difference: 0.09090909090909098 (up to 1e-07 allowed)"
            ),
        ),
        (
            2,
            3,
            "Scalars are not equal!\n\nExpected 3 but got 2.\nAbsolute difference: 1\nRelative difference: 0.3333333333333333",
        ),
        (
            torch.tensor([1, 2]),
            torch.tensor([1, 3]),
            (
                "Tensor-likes are not equal!\n\nMismatched elements: 1 / 2 (50.0%)\nGreatest absolute difference: 1 at index (1,)\n"
                "Greatest relative difference: 0.3333333432674408 at index (1,)"
            ),
        ),
        (
            NAN,
            NAN,
            (
                "Tensor-likes are not close!\n\nMismatched elements: 1 / 1 (100.0%)\n"
                "Greatest absolute difference: nan at index (0,) (up to 1e-05 allowed)\n"
                "Greatest relative difference: nan at index (0,) (up to 1.3e-06 allowed)"
            ),
        ),
        ([A], [A, A], "The length of the sequences mismatch: 1 != 2"),
        (
            {"a": A},
            {"b": A},
            (
                "The keys of the mappings do not match:\nMissing keys in the actual mapping: ['b']\n"
                "Additional keys in the actual mapping: ['a']"
            ),
        ),
        (True, False, "Booleans mismatch: True is not False"),
        (1, 1.0, "The (d)types do not match: <class 'int'> != <class 'float'>."),
    ],
)
def test_what_differs_is_reported(actual: Any, expected: Any, message: str) -> None:
    with pytest.raises(AssertionError) as error:
        torch.testing.assert_close(actual, expected)
    assert str(error.value) == message


def test_a_message_can_be_replaced_or_extended() -> None:
    with pytest.raises(AssertionError, match=r"^mine$"):
        torch.testing.assert_close(A, A + 1, msg="mine")
    with pytest.raises(AssertionError, match=r"^mine: Tensor-likes are not close!"):
        torch.testing.assert_close(A, A + 1, msg=lambda found: f"mine: {found}")


def test_half_a_tolerance_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must be either specified or omitted, but got no rtol"):
        torch.testing.assert_close(A, A, atol=0.2)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(TypeError, match="No comparison pair was able to handle inputs of type"):
        torch.testing.assert_close(A, "a")
