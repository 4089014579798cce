"""Dtypes for which PyTorch has no kernel, said before the arithmetic in the name of the missing one, or no gradients."""

from __future__ import annotations

from typing import Any

from engine.dtype_names import scalar_type


def floats_only(array: Any, kernel: str) -> None:
    """Refuses whole numbers and booleans.

    Raises:
        NotImplementedError: in PyTorch's words.
    """
    if array.dtype.kind in "bui":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_type(array)}'")


def forbid_bool(array: Any, kernel: str) -> None:
    """Refuses booleans.

    Raises:
        NotImplementedError: in PyTorch's words.
    """
    if array.dtype.kind == "b":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def reals_only(array: Any, kernel: str) -> None:
    """Refuses complex numbers.

    Raises:
        NotImplementedError: in PyTorch's words.
    """
    if array.dtype.kind == "c":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_type(array)}'")


def require_one_dtype(one: Any, other: Any) -> None:
    """Refuses a second operand of another dtype than the first.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if one.dtype != other.dtype:
        raise RuntimeError(f"expected scalar type {scalar_type(one)} but found {scalar_type(other)}")


def refuse_whole_result(operand: Any, result: Any) -> None:
    """Raises RuntimeError: a tensor that requires grad was to be added or multiplied up in a dtype that has no gradients."""
    if operand.requires_grad:
        raise RuntimeError(f"Autograd not support dtype: {scalar_type(result)}")
