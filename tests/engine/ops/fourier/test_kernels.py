"""The three kernels: what goes forward and back is what it was, in PyTorch's layout."""

from __future__ import annotations

import pytest

from engine import torch


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("length", [1, 2, 5, 8])
def test_the_way_back_undoes_the_way_there(norm: str, length: int) -> None:
    signal = torch.linspace(0, 1, length, dtype=torch.float64)
    assert torch.allclose(torch.fft.ifft(torch.fft.fft(signal, norm=norm), norm=norm).real, signal)
    assert torch.allclose(torch.fft.irfft(torch.fft.rfft(signal, norm=norm), n=length, norm=norm), signal)
    assert torch.allclose(torch.fft.hfft(torch.fft.ihfft(signal, norm=norm), n=length, norm=norm), signal)


@pytest.mark.parametrize(
    ("dims", "strides"),
    [((0, 1), (3, 1, 30, 6)), ((1, 0), (3, 1, 30, 6)), ((2, 1), (60, 4, 1, 12)), ((3, 0), (5, 40, 10, 1))],
)
def test_what_was_transformed_lies_innermost(dims: tuple[int, ...], strides: tuple[int, ...]) -> None:
    assert torch.fft.fftn(torch.ones(2, 3, 4, 5, dtype=torch.complex64), dim=dims).stride() == strides
