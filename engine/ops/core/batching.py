"""What `vmap` asks of operators: the mark of values that differ per example, and two refusals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.autograd.running import running
from engine.tensor import Tensor


def is_batched(arguments: Sequence[Any]) -> bool:
    """Whether a tensor among the arguments differs per example."""
    return any(
        a._batched if isinstance(a, Tensor) else isinstance(a, list | tuple) and is_batched(a) for a in arguments
    )


def mark(operator: str, arguments: Sequence[Any], results: Sequence[Tensor]) -> None:
    """Results of an operator belong to the transform that is at work, and those of per-example arguments differ per example."""
    for result in results:
        inside(result)
    if modes.batch_level and is_batched(arguments):
        if operator == "masked_select":
            refuse_batch(operator, arguments[1])
        for result in results:
            result._batched = True


def inside(tensor: Tensor) -> Tensor:
    """The tensor, known to belong to the innermost transform."""
    if modes.layers:
        tensor._layer = modes.layers[-1].number
    return tensor


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
    **{
        kernel: f"Batching rule not implemented for aten::{kernel}. We could not generate a fallback."
        for name in ("rnn_tanh", "rnn_relu", "gru", "lstm")
        for kernel in (f"{name}.input", f"{name}.data")
    },
    "lstm_cell": "Batching rule not implemented for aten::lstm_cell. We could not generate a fallback.",
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
    """Refuses to turn a value that differs per example into a Python number inside vmap.

    Raises:
        RuntimeError: in PyTorch's words, which are others where the program branches on it (``control_flow``).
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


BROADCAST = frozenset({"add_", "atan2_", "bitwise_and_", "bitwise_or_", "bitwise_xor_"})
"""Writes that PyTorch's vmap hands on as they are: the kernel notices that the whole batch does not fit."""
ARITHMETIC = frozenset({"copy_", "div_", "logical_and_", "logical_or_", "logical_xor_", "masked_fill_", "mul_", "sub_"})
"""Writes that PyTorch's vmap calls by that name together."""
INDEXED = frozenset({"fill_", "index_add_", "index_copy_", "index_fill_", "index_put_"})
"""Writes that it calls by their names; by their full ones those that have no rule."""


def refuse_shared_write(name: str, target: Tensor, arguments: Sequence[Any]) -> None:
    """Refuses to write a value that differs per example into a tensor that does not.

    Raises:
        RuntimeError: in PyTorch's words, by the kind of operator.
    """
    if not target._batched and is_batched(arguments):
        if name in BROADCAST:
            shapes = [a._array.shape for a in arguments if isinstance(a, Tensor)]
            whole = [modes.layers[-1].size, *np.broadcast_shapes(target._array.shape, *shapes)]
            raise RuntimeError(
                f"output with shape {list(target._array.shape)} doesn't match the broadcast shape {whole}"
            )
        has_rule = name in ARITHMETIC or name in INDEXED
        what = "inplace arithmetic" if name in ARITHMETIC else name if has_rule else f"aten::{name}"
        where = "in a vmap" if has_rule else f"at level {len(modes.layers)}"
        raise RuntimeError(
            f"vmap: {what}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has "
            f"more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over {where}. "
            f"Please try to use out-of-place operators instead of {what}. If said operator is being called inside the "
            "PyTorch framework, please file a bug report instead."
        )


def is_captured(tensor: Tensor) -> bool:
    """Whether a derivative's function found the tensor around it: it is neither an argument nor made inside.

    Not asked without recording, nor during a backward pass: there optimizers, initialisations and derivatives write into what they
    made themselves.
    """
    return (
        modes.grad_enabled
        and not running
        and any(at_work.tracks and tensor._layer < at_work.number for at_work in modes.layers)
    )


def refuse_captured_write(name: str) -> None:
    """Raises RuntimeError: PyTorch's words, when a derivative's function writes into what it captured.

    Args:
        name: the operator as PyTorch's dispatcher calls it, ``aten::add_.Tensor``.
    """
    raise RuntimeError(
        f"During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation ({name}) that "
        "would mutate a captured Tensor. This is not supported; please rewrite the function being transformed to explicitly accept "
        "the mutated Tensor(s) as inputs."
    )


def refuse_shared_statistics(input: Tensor, running: Sequence[Tensor | None]) -> None:
    """Raises RuntimeError: batch norm would move one set of running statistics by what differs per example."""
    if input._batched and any(each is not None and not each._batched for each in running):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, were not "
            "batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be False."
            "If you are using a prebuilt module and do not need eval mode, please see the functorch website for resources on how to "
            "patch your module to work with vmap"
        )
