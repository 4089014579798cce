"""The tensor class itself."""

from __future__ import annotations

from engine.tensor import Tensor


def test_attributes_of_a_tensor_are_written_at_full_speed() -> None:
    """Python asks a class with a ``__setattr__`` or ``__delattr__`` of its own at every write: five times slower."""
    assert Tensor.__setattr__ is object.__setattr__
    assert Tensor.__delattr__ is object.__delattr__
