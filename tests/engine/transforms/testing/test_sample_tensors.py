"""`engine.transforms.testing.sample_tensors` draws what PyTorch draws."""

from __future__ import annotations

import pytest

import engine.torch as torch
from engine.torch.testing import make_tensor


def test_values_are_those_of_pytorch_for_the_same_seed() -> None:
    torch.manual_seed(0)
    assert make_tensor((2, 2), dtype=torch.bool, device="cpu").tolist() == [[False, True], [True, False]]
    assert make_tensor(3, dtype=torch.bool, device="cpu", low=0, high=2).tolist() == [True, True, True]
    assert make_tensor((2, 2), dtype=torch.uint8, device="cpu").tolist() == [[3, 7], [3, 1]]
    assert make_tensor(3, dtype=torch.uint8, device="cpu", low=0, high=2).tolist() == [0, 0, 1]
    assert make_tensor((2, 2), dtype=torch.int8, device="cpu").tolist() == [[7, 6], [-8, 2]]


def test_values_stay_in_their_interval() -> None:
    for dtype in (torch.float16, torch.float32, torch.complex64, torch.int16):
        values = make_tensor((50,), dtype=dtype, device="cpu", low=2, high=4)
        parts = torch.view_as_real(values) if dtype.is_complex else values
        assert parts.min() >= 2
        assert parts.max() < 4
    assert make_tensor((9,), dtype=torch.float32, device="cpu", low=float("-inf"), high=float("inf")).isfinite().all()


def test_layout_is_what_was_asked_for() -> None:
    apart = make_tensor((2, 3), dtype=torch.float32, device="cpu", noncontiguous=True, requires_grad=True)
    assert (apart.stride(), apart.storage_offset(), apart.requires_grad) == ((6, 2), 1, True)
    zeros = make_tensor(2, 3, dtype=torch.int64, device="cpu", low=0, high=1, exclude_zero=True)
    assert zeros.tolist() == [[1, 1, 1], [1, 1, 1]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"low": 2, "high": 1}, "`low` must be less than `high`, but got 2 >= 1"),
        ({"low": float("nan")}, "cannot be NaN"),
        ({"noncontiguous": True, "memory_format": torch.channels_last}, "mutually exclusive"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make_tensor((2,), dtype=torch.float32, device="cpu", **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="requires_grad=True"):
        make_tensor((2,), dtype=torch.int32, device="cpu", requires_grad=True)
