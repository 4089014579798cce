"""``torch.utils.dlpack``: memory that is shared, taken once, and refused in PyTorch's words."""

from __future__ import annotations

import numpy as np
import pytest

from engine import torch


def test_a_capsule_shares_memory_and_is_taken_once() -> None:
    a = torch.arange(5)
    capsule = torch.utils.dlpack.to_dlpack(a)
    b = torch.utils.dlpack.from_dlpack(capsule)
    b[0] = 100
    assert a.tolist() == [100, 1, 2, 3, 4]
    with pytest.raises(RuntimeError, match="from_dlpack received an invalid capsule"):
        torch.utils.dlpack.from_dlpack(capsule)


def test_arrays_and_tensors_look_at_each_others_memory() -> None:
    array = np.arange(6).reshape(2, 3)
    tensor = torch.from_dlpack(array.T)
    array[0, 1] = 9
    assert tensor.tolist() == [[0, 3], [9, 4], [2, 5]]
    source = torch.arange(3.0)
    assert np.shares_memory(np.from_dlpack(source), source.numpy())
    assert torch.from_dlpack(source).data_ptr() == source.data_ptr()


def test_what_requires_grad_is_not_exported() -> None:
    with pytest.raises(BufferError, match=r"Can't export tensors that require gradient, use tensor\.detach\(\)"):
        torch.from_dlpack(torch.ones(2, requires_grad=True))
    with pytest.raises(TypeError, match=r"_to_dlpack\(\): argument 'data' \(position 1\) must be Tensor, not int"):
        torch.utils.dlpack.to_dlpack(3)
