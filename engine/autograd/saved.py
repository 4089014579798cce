"""Saved tensors: kept by a node until backward has used them, and guarded against in-place changes meanwhile.

A node's ``saved`` is a tuple of entries. A plain Python value stands for itself; a tensor nobody has written into yet
stands for itself too (``Tensor._unpack`` checks that this is still so), any other is wrapped in `SavedTensor` with the version
it had; the node's own result is in `SavedResult`, which must not refer back to the node (the cycle would keep a dropped
graph alive). Freed entries are replaced by `FREED`, plain values stay.
"""

from __future__ import annotations

import weakref
from typing import Any

from engine.autograd.modes import state


class Freed:
    """Takes the place of a node's saved entries once they are released."""

    def _unpack(self, node: Any) -> Any:
        """Raises:
        RuntimeError: PyTorch's "a second time".
        """
        raise RuntimeError(FREED_ERROR)

    def __repr__(self) -> str:
        return "freed"


FREED = Freed()

INFERENCE_ERROR = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
    "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use "
    "`torch.no_grad()` instead of `torch.inference_mode()`."
)

FREED_ERROR = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have "
    "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
    "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if "
    "you need to access saved tensors after calling backward."
)


class SavedTensor:
    """An input that a node keeps."""

    __slots__ = ("tensor", "version")

    def __init__(self, tensor: Any) -> None:
        if tensor._inference:
            raise RuntimeError(INFERENCE_ERROR)
        self.tensor = tensor
        counter = tensor._counter
        self.version = 0 if counter is None else counter.value

    def _unpack(self, node: Any) -> Any:
        """The tensor, if nobody has written into it since.

        Raises:
            RuntimeError: PyTorch's "modified by an inplace operation", naming shape, producer and versions.
        """
        tensor = self.tensor
        counter = tensor._counter
        if counter is not None and counter.value != self.version:
            raise RuntimeError(modified_error(tensor, self.version, counter.value, tensor.grad_fn, tensor._output_nr))
        return tensor


class SavedResult:
    """An output that its own node keeps; rebuilt as a tensor each time it is asked for."""

    __slots__ = ("array", "counter", "kind", "output_nr", "requires_grad", "version", "weak")

    def __init__(self, tensor: Any, output_nr: int) -> None:
        self.kind = type(tensor)
        self.array = tensor._array
        self.counter = tensor._counter
        self.version = 0 if self.counter is None else self.counter.value
        self.output_nr = output_nr
        self.requires_grad = tensor._requires_grad
        self.weak = weakref.ref(tensor)

    def _unpack(self, node: Any) -> Any:
        """A tensor like the output, attached to ``node`` again.

        Raises:
            RuntimeError: as `SavedTensor._unpack`.
        """
        original = self.weak()
        counter = self.counter if original is None else original._counter
        now = 0 if counter is None else counter.value
        if now != self.version:
            raise RuntimeError(modified_error(self, self.version, now, node, self.output_nr))
        if original is not None and original._grad_fn is node:
            return original
        return self.kind._output_again(self.array, counter, node if self.requires_grad else None, self.output_nr)


class PackedTensor:
    """A tensor that went through the person's ``saved_tensors_hooks``."""

    __slots__ = ("packed", "unpack_hook")

    def __init__(self, packed: Any, unpack_hook: Any) -> None:
        self.packed = packed
        self.unpack_hook = unpack_hook

    def _unpack(self, node: Any) -> Any:
        """What the person's unpack hook makes of it."""
        return self.unpack_hook(self.packed)


def save_input(tensor: Any) -> Any:
    """Makes an entry of an input, through the innermost saved-tensor hooks if there are any."""
    if state.saved_hooks and not isinstance(state.saved_hooks[-1], str):
        pack, unpack = state.saved_hooks[-1]
        return PackedTensor(pack(tensor), unpack)
    return tensor if tensor._saves_itself and tensor._counter is None else SavedTensor(tensor)


def save_result(tensor: Any, output_nr: int) -> SavedResult | PackedTensor:
    """Wraps an output of the node that will hold it."""
    if state.saved_hooks and not isinstance(state.saved_hooks[-1], str):
        pack, unpack = state.saved_hooks[-1]
        return PackedTensor(pack(tensor.detach()), unpack)
    return SavedResult(tensor, output_nr)


def open_saved(node: Any, index: int) -> Any:
    """One saved entry as the person sees it.

    Raises:
        RuntimeError: when it was freed, or written into since it was saved.
    """
    entry = node.saved[index]
    if hasattr(entry, "_shown"):
        return entry._shown()
    if hasattr(entry, "_unpack"):
        return entry._unpack(node)
    if isinstance(entry, list):
        return tuple(part._unpack(node) if hasattr(part, "_unpack") else part for part in entry)
    return entry


def modified_error(tensor: Any, expected: int, found: int, producer: Any, output_nr: int) -> str:
    """PyTorch's words for a saved tensor that was written into."""
    array = tensor.array if isinstance(tensor, SavedResult) else tensor._array
    kind = {"float32": "torch.FloatTensor", "float64": "torch.DoubleTensor", "int64": "torch.LongTensor"}.get(
        str(array.dtype), f"torch.{array.dtype}"
    )
    origin = ""
    if producer is not None:
        origin = f", which is output {output_nr} of {producer.short_name()},"
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{kind} {list(array.shape)}]{origin} is at version {found}; expected version {expected} instead. "
        "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
