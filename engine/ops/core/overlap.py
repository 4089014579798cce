"""Memory that an in-place write may not touch: elements that share a place, and tensors that it reads in part."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine.autograd.layout import is_dense
from engine.ops.core.geometry import look, offset_in, owner_of
from engine.tensor import Tensor


def check_memory(target: Tensor, arguments: tuple[Any, ...], name: str) -> None:
    """The written memory is no element's twice, and what is read lies beside it.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if name not in (*WARN_OF_OVERLAP, "zero_", "fill_"):
        check_no_overlap(target._array)
    if name != "fill_":
        check_apart(target._array, arguments, name)


WHOLLY_APART = frozenset(
    {"index_add_", "index_copy_", "scatter_", "scatter_add_", "put_", "index_reduce_", "scatter_reduce_"}
)
"""Writes to chosen places, which may not even read the very memory they write to."""
TAKE_A_NUMBER = frozenset({"masked_fill_", "index_fill_"})
"""Writes whose 0-d argument is read before anything is written."""


def check_apart(target: Any, arguments: tuple[Any, ...], name: str) -> None:
    """What is read must be the written memory itself, or none of it.

    Raises:
        RuntimeError: in PyTorch's words, when a dense argument overlaps the target in part.
    """
    alone = isinstance(target, np.ndarray) and target.base is None
    wholly = name in WHOLLY_APART
    if isinstance(target, np.generic) or name in TAKE_A_NUMBER:
        return
    if alone and not wholly and all(getattr(a, "_base", None) is None for a in arguments):
        return
    for argument in arguments[1:] if wholly else arguments:
        array = argument._array if isinstance(argument, Tensor) else None
        if (
            array is None
            or (array is target and not wholly)
            or isinstance(array, np.generic)
            or not np.may_share_memory(array, target)
        ):
            continue
        if not (is_dense(array) and is_dense(target)):
            continue
        same_place = array.__array_interface__["data"][0] == target.__array_interface__["data"][0]
        if same_place and not wholly and array.shape == target.shape and array.strides == target.strides:
            continue
        raise RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
            "memory location. Please clone() the tensor before performing the operation."
        )


def overlaps(array: Any) -> bool:
    """Whether several elements share one place in memory, as in an expanded tensor."""
    if array.flags.c_contiguous:
        return False
    return any(not step and length > 1 for step, length in zip(array.strides, array.shape, strict=True))


def where_written(array: Any, value: Any) -> Any:
    """What an expanded tensor holds once the elements that ``value`` changes are written: those that share a place change along."""
    owner = owner_of(array)
    after = look(owner.copy(), array.shape, [step // array.itemsize for step in array.strides], offset_in(array, owner))
    np.copyto(after, value, where=np.asarray((value != array) & ~((value != value) & (array != array))))
    return after.copy()


WARN_OF_OVERLAP = {
    "index_put_": "tensor[indices] = tensor",
    "masked_fill_": "tensor[mask] = scalar",
    "index_fill_": "tensor[mask] = scalar",
}
"""Writes that PyTorch still allows on expanded tensors, and the indexing that it takes for the same."""


def warn_of_overlap(array: Any, name: str) -> None:
    """PyTorch's advice against writing to some elements of an expanded tensor: all that share their place change."""
    if overlaps(array):
        warnings.warn(
            f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this "
            f"operation. This also applies to advanced indexing e.g. {WARN_OF_OVERLAP[name]}",
            UserWarning,
            stacklevel=5,
        )


def check_no_overlap(array: Any) -> None:
    """Refuses to write into elements that share one place in memory, as in an expanded tensor.

    Raises:
        RuntimeError: some do.
    """
    if overlaps(array):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )
