"""What ``torch.func``'s transforms ask of what they are given and of what the function returns, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.tensor import Tensor
from engine.transforms.trees import flatten

REAL_OR_COMPLEX = "fcV"
"""Kinds of numpy dtypes that have derivatives (V is bfloat16)."""


def checked_argnums(argnums: Any, count: int) -> tuple[int, ...]:
    """Positions to differentiate with respect to, counted from the front.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    if not isinstance(numbers, tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    for number in numbers:
        if not -count <= number < count:
            raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")
    normal = tuple(number % count for number in numbers)
    if len(set(normal)) != len(normal):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return normal


def with_extra(returned: Any, has_aux: bool, what: str) -> tuple[Any, Any]:
    """A function's output, and what it returned beside it.

    Raises:
        RuntimeError: it did not return a pair, or something beside the output is no tensor.
    """
    if not has_aux:
        return returned, None
    if not (isinstance(returned, tuple) and len(returned) == 2):
        raise RuntimeError(f"{what}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for extra in flatten(returned[1])[0]:
        if not isinstance(extra, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(extra)}")
    return returned


def checked_outputs(outputs: list[Any], what: str) -> None:
    """Raises RuntimeError: an output is no tensor."""
    for output in outputs:
        if not isinstance(output, Tensor):
            raise RuntimeError(f"{what} to return only tensors, got unsupported type {type(output)}")


def refuse_whole_numbers(outputs: Sequence[Tensor]) -> None:
    """Raises RuntimeError: an output of a function that is pulled back has no derivative."""
    for output in outputs:
        if output._array.dtype.kind not in REAL_OR_COMPLEX:
            raise RuntimeError(
                f"vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype {output.dtype}"
            )


def refuse_complex(tensors: Sequence[Any], transform: str, what: str) -> None:
    """Raises RuntimeError: Jacobians are those of real functions.

    Args:
        what: ``inputs`` or ``outputs``.
    """
    for number, tensor in enumerate(tensors):
        if isinstance(tensor, Tensor) and tensor.is_complex():
            raise RuntimeError(
                f"{transform}: Expected all {what} to be real but received complex tensor at flattened input idx: {number}"
            )


def refuse_complex_scalar(value: Tensor) -> None:
    """Raises RuntimeError: the slope of a complex number needs a seed, which ``grad`` has not."""
    if value.is_complex():
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {value.dtype}")


def checked_movement(primals: Sequence[Any], tangents: Sequence[Any]) -> None:
    """Raises RuntimeError: there is nothing to move from, or something among the primals or tangents is no tensor."""
    if not primals:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals to contain at least one Tensor.")
    for what, leaves in (("primals", primals), ("tangents", tangents)):
        for leaf in leaves:
            if not isinstance(leaf, Tensor):
                raise RuntimeError(
                    f"jvp(f, primals, tangents): Expected {what} to only contain Tensors, got {type(leaf)}"
                )
