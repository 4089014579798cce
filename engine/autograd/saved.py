"""Saved tensors: kept by a node until backward has used them, and guarded against in-place changes meanwhile.

A node's ``saved`` is a tuple of entries. A plain Python value stands for itself; a tensor nobody has written into yet
stands for itself too (``Tensor._unpack`` checks that this is still so), any other is wrapped in `SavedTensor` with the version
it had; the node's own result is in `SavedResult`, which must not refer back to the node (the cycle would keep a dropped
graph alive). Freed entries are replaced by `FREED`, plain values stay.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from engine.autograd.handles import is_ours
from engine.autograd.modes import state
from engine.autograd.running import at_work
from engine.dtype_names import options_type
from engine.observe import state as observing


class Freed:
    """Takes the place of a node's saved entries once they are released."""

    def _unpack(self, node: Any) -> Any:
        """Raises RuntimeError: PyTorch's "a second time"."""
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

DETACHED_ERROR = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please use "
    "out-of-place `.detach()` instead"
)

HINT = (
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
HINT_IN_ANOMALY_MODE = (
    "Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in question was changed "
    "in there or anywhere later. Good luck!"
)


class SavedTensor:
    """An input that a node keeps."""

    __slots__ = ("leaf", "tensor", "version")

    def __init__(self, tensor: Any) -> None:
        if tensor._inference:
            raise RuntimeError(INFERENCE_ERROR)
        self.tensor = tensor
        counter = tensor._counter
        self.version = 0 if counter is None else counter.value
        self.leaf = tensor._node is None

    def _unpack(self, node: Any) -> Any:
        """The tensor, if nobody has written into it since.

        Raises:
            RuntimeError: PyTorch's "modified by an inplace operation", naming shape, producer and versions; or the tensor
                was taken out of the graph by ``detach_`` since.
        """
        if not self.leaf and self.tensor._node is None:
            raise RuntimeError(DETACHED_ERROR)
        return self._shown(node)

    def _shown(self, node: Any) -> Any:
        """The same for people who look: it may have been taken out of the graph since."""
        tensor = self.tensor
        counter = tensor._counter
        if counter is not None and counter.value != self.version:
            raise RuntimeError(modified_error(tensor, self.version, counter.value, tensor.grad_fn, tensor._output_nr))
        return tensor


class SavedResult:
    """An output that its own node keeps; rebuilt as a tensor each time it is asked for.

    ``tangent`` is there if the output has a forward-mode derivative.
    """

    __slots__ = ("array", "counter", "kind", "output_nr", "requires_grad", "tangent", "version", "weak")

    def __init__(self, tensor: Any, output_nr: int) -> None:
        self.kind = type(tensor)
        self.array = tensor._array
        self.counter = tensor._counter
        self.version = 0 if self.counter is None else self.counter.value
        self.output_nr = output_nr
        self.requires_grad = tensor._requires_grad
        self.weak: Callable[[], Any] = weakref.ref(tensor)

    def _unpack(self, node: Any) -> Any:
        """A tensor like the output, attached to ``node`` again.

        Raises:
            RuntimeError: as `SavedTensor._unpack`.
        """
        original = self.weak()
        kept = original is not None and original._node is node and original._array is self.array
        if kept and self.current(original) == self.version:
            return original
        return self._shown(node)

    def _shown(self, node: Any) -> Any:
        """The same as people get it: never the output itself."""
        original = self.weak()
        now = self.current(original)
        if now != self.version:
            raise RuntimeError(modified_error(self, self.version, now, node, self.output_nr))
        counter = self.counter if original is None else original._shared_counter()
        again = self.kind._output_again(self.array, counter, node if self.requires_grad else None, self.output_nr)
        if hasattr(self, "tangent"):
            again._tangent = self.tangent
        if state.layers:
            again._layer = state.layers[-1].number if original is None else original._layer
        return again

    def unchanged(self, node: Any) -> Any:
        """Its array alone, on the same condition."""
        return self.array if self.current(self.weak()) == self.version else self._shown(node)

    def current(self, original: Any) -> int:
        """The version of its storage now; the output's own counter may have been made after saving."""
        counter = self.counter if original is None else original._counter
        return 0 if counter is None else counter.value


def tell_saved_result(node: Any, tensor: Any) -> None:
    """Hands a tensor's new version counter to the node that keeps it as its own result: it may outlive the tensor."""
    entries, counter = node.saved, tensor._counter
    for entry in entries if type(entries) is tuple else ():  # a freed node may have one `Freed` for all of them
        if type(entry) is SavedResult and entry.weak() is tensor:
            entry.counter = counter


def tell_saved_memory(node: Any, number: Any, array: Any) -> None:
    """Tells the node that keeps a number as its own result where in memory that lies from now on."""
    entries = node.saved
    for entry in entries if type(entries) is tuple else ():
        if type(entry) is SavedResult and entry.array is number:
            entry.array = array


class PackedTensor:
    """A tensor that went through the person's hooks: what their ``pack`` made of it, and its place in the graph.

    Args:
        pack, unpack: the person's hooks. ``pack`` runs now, unrecorded.
        given: the tensor handed to ``pack``.
        original: the tensor whose place in the graph the unpacked one takes.
        own: whether it is an output of the node that keeps it (which must not refer back to the node).

    Raises:
        RuntimeError: ``pack`` wrote into the tensor.
    """

    __slots__ = ("leaf", "node", "output_nr", "own", "packed", "requires_grad", "shape", "unpack_hook")

    def __init__(self, pack: Any, unpack: Any, given: Any, original: Any, own: bool) -> None:
        if original._inference:
            raise RuntimeError(INFERENCE_ERROR)
        self.unpack_hook, self.shape = unpack, original._array.shape
        self.leaf = original._node is None
        self.node: Any
        self.requires_grad, self.own = original.requires_grad, own and not self.leaf
        self.node, self.output_nr = (None, original._output_nr) if self.own else original._gradient_edge()
        before = 0 if given._counter is None else given._counter.value
        recording, state.grad_enabled = state.grad_enabled, False
        try:
            self.packed = pack(given)
        finally:
            state.grad_enabled = recording
        if given._counter is not None and given._counter.value != before:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
                "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to "
                "perform in-place operations on the input to a pack hook."
            )
        report_hook("saved_pack", pack, given, self.packed)

    def _unpack(self, node: Any) -> Any:
        """What the person's unpack hook makes of it, at the place of the tensor that was saved.

        Raises:
            TypeError: the hook returns something other than a tensor.
        """
        at_work(node)
        return self._shown(node)

    def is_like(self, unpacked: Any, dtype: Any) -> bool:
        """Whether an array of what the hook gave can stand for an array of what was saved."""
        array = unpacked._array
        return bool(unpacked._strided and array.shape == self.shape and array.dtype == dtype)

    def _shown(self, node: Any) -> Any:
        """The same for people who look, who may do so while another node runs."""
        tensor = self.unpack_hook(self.packed)
        if not hasattr(tensor, "_array"):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(tensor).__name__}"
            )
        report_hook("saved_unpack", self.unpack_hook, tensor, None)
        if not self.requires_grad and not tensor.requires_grad:
            return tensor
        return tensor._at(node if self.own else self.node, self.output_nr, self.requires_grad)


def report_hook(kind: str, hook: Any, tensor: Any, packed: Any) -> None:
    """Tells the listener that a person's hook on saved tensors ran, and what it made of the tensor if that is a tensor too."""
    listener = observing.listener or observing.aside
    if listener is not None and not is_ours(hook):
        changed = packed if hasattr(packed, "_array") and packed is not tensor else None
        listener.hook_fired(kind, hook, tensor, None, tensor, changed)


def save_input(tensor: Any) -> Any:
    """Makes an entry of an input, through the innermost saved-tensor hooks if there are any."""
    if state.saved_hooks:
        return PackedTensor(*state.saved_hooks[-1], tensor, tensor, own=False)
    return tensor if tensor._saves_itself and tensor._counter is None else SavedTensor(tensor)


def save_result(tensor: Any, output_nr: int) -> SavedResult | PackedTensor:
    """Wraps an output of the node that will hold it."""
    if state.saved_hooks:
        return PackedTensor(*state.saved_hooks[-1], tensor, tensor, own=True)
    return SavedResult(tensor, output_nr)


def open_saved(node: Any, index: int) -> Any:
    """One saved entry as the person sees it.

    Raises:
        RuntimeError: when it was freed, or written into since it was saved.
    """
    entry = node.saved[index]
    if hasattr(entry, "_shown"):
        return entry._shown(node)
    if hasattr(entry, "_unpack"):
        return entry._unpack(node)
    if isinstance(entry, list):
        return tuple(part._unpack(node) if hasattr(part, "_unpack") else part for part in entry)
    return entry


def modified_error(tensor: Any, expected: int, found: int, producer: Any, output_nr: int) -> str:
    """PyTorch's words for a saved tensor that was written into."""
    array = tensor.array if isinstance(tensor, SavedResult) else tensor._array
    origin = ""
    if producer is not None:
        origin = f", which is output {output_nr} of {producer.short_name()},"
    hint = HINT_IN_ANOMALY_MODE if state.anomaly else HINT
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{options_type(array)} {list(array.shape)}]{origin} is at version {found}; expected version {expected} instead. {hint}"
    )
