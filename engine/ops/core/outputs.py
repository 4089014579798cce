"""``out=``: a result copied into tensors that the caller provides, under PyTorch's conditions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.ops.core.geometry import reshape_storage
from engine.ops.core.misuse import kind_of
from engine.ops.core.overlap import check_no_overlap
from engine.ops.core.results import result_type
from engine.ops.core.room_dtypes import check_dtypes, in_dtype_of_room
from engine.ops.core.tangents import tangent_of
from engine.ops.core.writable import any_requires_grad
from engine.tensor import Tensor


def write_out(
    result: Any,
    out: Any,
    operator: Any = None,
    arguments: Sequence[Any] = (),
    fit: Callable[[Tensor, tuple[int, ...]], None] | None = None,
) -> Any:
    """Copies the result into the given tensor (or tuple of tensors), which is resized by ``fit``: `resize`, unless told otherwise.

    Raises:
        TypeError: when there are more or fewer tensors than results, or one where several are expected.
        RuntimeError: when something requires grad, the dtype cannot be cast, or memory is shared where it must not be.
        NotImplementedError: when something has a forward-mode derivative.
    """
    name = getattr(operator, "name", getattr(operator, "__name__", ""))
    several = isinstance(result, tuple)
    if several != isinstance(out, list | tuple):
        raise TypeError(
            f"{name}(): argument 'out' must be {'tuple of Tensors' if several else 'Tensor'}, not {kind_of(out)}"
        )
    if several:
        targets, sources, into = out, result, f"{type(result).__name__}_out"
    else:
        targets, sources, into = (out,), (in_dtype_of_room(name, result, out, operator, arguments),), name
    if len(targets) != len(sources):
        raise TypeError(f"expected tuple of {len(sources)} elements but got {len(targets)}")
    if modes.forward_level and any_tangent((targets, sources, arguments)):
        raise NotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
        )
    if modes.grad_enabled and any_requires_grad((targets, sources)):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    check_dtypes(into, targets, sources)
    for target, source in zip(targets, sources, strict=True):
        if modes.meta_met and target.device is not source.device:
            raise RuntimeError(
                f"Attempting to copy from device {source.device} to device {target.device}, but cross-device copies are "
                "not allowed! Make the out tensor on the device of the operands."
            )
        if target._array.shape != source._array.shape:
            (fit or resize)(target, source._array.shape)
        check_memory(operator, target, arguments)
        target.copy_(source)
    return named_alike(result, into, out) if several else out


def named_alike(result: Any, name: str, out: Any) -> Any:
    """The given tensors under the names of the result's fields, if it has any: ``torch.return_types.max_out``."""
    made = None if type(result) is tuple else result_type(name, type(result).__match_args__)
    return out if made is None else made(out)


def write_made(made: Tensor, out: Tensor) -> Tensor:
    """Copies what was computed from no tensor, or drawn: PyTorch resizes the given tensor without a word then."""
    written: Tensor = write_out(made, out, fit=reshape_storage)
    return written


def any_tangent(values: Any) -> bool:
    """Whether a tensor in these nested sequences has a forward-mode derivative."""
    if isinstance(values, list | tuple):
        return any(any_tangent(value) for value in values)
    return tangent_of(values) is not None


def check_memory(operator: Any, target: Tensor, arguments: Sequence[Any]) -> None:
    """Refuses an out tensor whose elements would be written while they are still read, or more than once.

    Raises:
        RuntimeError: they share memory with each other, or (but for elementwise operators that write a tensor onto itself)
            with an input.
    """
    array = np.asarray(target._array)
    check_no_overlap(array)
    elementwise = getattr(operator, "family", "") == "pointwise"
    for argument in arguments:
        for tensor in argument if isinstance(argument, list | tuple) else (argument,):
            if not isinstance(tensor, Tensor) or not isinstance(tensor._array, np.ndarray):
                continue
            same = tensor is target or (tensor._array.strides == array.strides and same_place(tensor._array, array))
            if not (elementwise and same) and np.may_share_memory(tensor._array, array):
                raise RuntimeError(
                    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                    "single memory location. Please clone() the tensor before performing the operation."
                )


def same_place(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays begin at the same address and have the same shape."""
    return one.shape == other.shape and one.__array_interface__["data"] == other.__array_interface__["data"]


def resize(target: Tensor, shape: tuple[int, ...]) -> None:
    """Makes the out tensor fit, with PyTorch's warning if it was not empty."""
    if target._array.size:
        warnings.warn(
            f"An output with one or more elements was resized since it had shape {list(target._array.shape)}, which "
            f"does not match the required output shape {list(shape)}. This behavior is deprecated, and in a future "
            "PyTorch release outputs will not be resized unless they have zero elements. You can explicitly reuse an "
            "out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
            UserWarning,
            stacklevel=5,
        )
    reshape_storage(target, shape)
