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


def mark(arguments: Sequence[Any], results: Sequence[Tensor]) -> None:
    """Results of per-example arguments differ per example."""
    if is_batched(arguments):
        for result in results:
            result._batched = True


def with_mark(made: Tensor, like: Tensor) -> Tensor:
    """A new tensor that one per example may be written into, if it was made like one that differs per example."""
    if like._batched:
        made._batched = True
    return made


def refuse_branching(tensor: Tensor, control_flow: bool = False) -> None:
    """Raises:
    RuntimeError: PyTorch's words, when a value that differs per example is turned into a Python number inside vmap.
    """
    if modes.batch_level and tensor._batched:
        if control_flow:
            raise RuntimeError(
                "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
                "yet: torch.where chooses per example."
            )
        raise RuntimeError(
            "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please "
            "try to rewrite what you're doing with other operations."
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
            f"PyTorch framework, please file a bug report instead. ({name})"
        )
