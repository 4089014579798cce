"""What `vmap` asks of operators: the mark of values that differ per example, and two refusals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.autograd.modes import state as modes
from engine.tensor import Tensor


def is_batched(arguments: Sequence[Any]) -> bool:
    """Whether a tensor among the arguments differs per example."""
    return any(
        a._batched if isinstance(a, Tensor) else isinstance(a, list | tuple) and is_batched(a) for a in arguments
    )


def mark(operator: str, arguments: Sequence[Any], results: Sequence[Tensor]) -> None:
    """Results of an operator belong to the transform that is at work, and those of per-example arguments differ per example."""
    for result in results:
        result._layer = modes.layers[-1].number
    if modes.batch_level and is_batched(arguments):
        if operator == "masked_select":
            refuse_batch(operator, arguments[1])
        for result in results:
            result._batched = True


def with_mark(made: Tensor, like: Tensor) -> Tensor:
    """A new tensor that one per example may be written into, if it was made like one that differs per example."""
    if like._batched:
        made._batched = True
    return made


DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. Please file an issue "
    "at https://github.com/pytorch/pytorch/issues if you need this feature."
)
REFUSED = {
    **{
        name: DYNAMIC.format(name)
        for name in ("nonzero", "where", "_unique2", "unique_dim", "unique_consecutive", "unique_dim_consecutive")
    },
    "masked_select": (
        "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for each batch this "
        "would return a differently shaped Tensor. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this "
        "feature."
    ),
    "mask": (
        "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with a boolean "
        "mask."
    ),
    "equal": "Batching rule not implemented for aten::equal. We could not generate a fallback.",
    "allclose": (
        "vmap over torch.allclose isn't supported yet. Please file an issue at https://github.com/pytorch/pytorch/issues if you need "
        "this feature."
    ),
    "data": "accessing `data` under vmap transform is not allowed",
}
"""PyTorch's words, by what it does not do with values that differ per example: mostly since the results would differ in shape."""


def refuse_batch(what: str, *arguments: Any) -> None:
    """Raises RuntimeError: one of the arguments differs per example, and PyTorch refuses that here."""
    if modes.batch_level and is_batched(arguments):
        raise RuntimeError(REFUSED[what])


def refuse_pointer(tensor: Tensor) -> None:
    """Raises RuntimeError: the tensor is wrapped by a transform, so that PyTorch does not give its memory away."""
    if modes.layers and (tensor._batched or any(at_work.wraps(tensor) for at_work in modes.layers)):
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")


def refuse_branching(tensor: Tensor, control_flow: bool = False) -> None:
    """Raises:
    RuntimeError: PyTorch's words, when a value that differs per example is turned into a Python number inside vmap.
    """
    if modes.batch_level and tensor._batched:
        if control_flow:
            raise RuntimeError(
                "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
                "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
            )
        raise RuntimeError(
            "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please "
            "try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch internals, please "
            "file a bug report."
        )


def refuse_shared_write(name: str, target: Tensor, arguments: Sequence[Any]) -> None:
    """Raises:
    RuntimeError: PyTorch's words, when a value that differs per example is written into a tensor that does not.
    """
    if not target._batched and is_batched(arguments):
        raise RuntimeError(
            "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has "
            "more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over in a vmap. "
            "Please try to use out-of-place operators instead of inplace arithmetic. If said operator is being called inside the "
            "PyTorch framework, please file a bug report instead."
        )
