"""Conjugates that PyTorch would put off keep its bit for as long as their memory lives, and no longer."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import engine.torch as drop_in
from engine.ops.core import conjugates

torch: Any = drop_in


def test_pairs_of_a_conjugate_are_refused_until_it_is_resolved() -> None:
    z = torch.tensor([1 + 2j])
    with pytest.raises(RuntimeError, match="view_as_real doesn't work on unresolved conjugated tensors"):
        torch.view_as_real(z.conj())
    assert torch.view_as_real(z.conj().resolve_conj()).tolist() == [[1.0, -2.0]]


def test_a_conjugate_is_forgotten_with_its_memory() -> None:
    made = torch.tensor([1 + 2j]).conj()
    window, key = made[:1], id(made._array)
    del made
    gc.collect()
    assert window.is_conj()
    assert key in conjugates._put_off
    del window
    gc.collect()
    assert key not in conjugates._put_off
