"""In-place writes to views, which change the base too.

PyTorch records such a write on the base, as a `CopySlices` node (gradients of the written part go to the write's own node, the
rest passes), and makes the view's grad_fn anew from the base, as an ``AsStridedBackward0``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import enable_grad
from engine.autograd.node import Node, next_sequence_nr
from engine.autograd.saved import FREED_ERROR
from engine.observe import state as observing
from engine.ops.core.batching import with_mark
from engine.ops.core.geometry import contiguous_strides, look, offset_of, strides_of
from engine.ops.layout.strided import as_strided, saved_for
from engine.ops.layout.view_steps import replay
from engine.storage import shared_counter
from engine.tensor import Tensor, new, wrap


class CopySlices(Node):
    """A view was written to: the gradient of the written part goes where the write says, the rest passes unchanged."""

    def __init__(self, base: Tensor, view: Tensor, written: Node) -> None:
        self.written: Node | None = written
        self.view_geometry = (view._array.shape, strides_of(view), offset_of(view) - offset_of(base))
        self.view_steps = view._view_steps
        self.base_shape, self.base_strides = base._array.shape, strides_of(base)
        self.edges = (base._gradient_edge(), *written.edges[1:])
        self.shapes = (base._array.shape,)
        self.dtypes = (base._array.dtype,)
        self.sequence_nr = next_sequence_nr()

    def apply(self, gradients: list[Any]) -> list[Any]:
        """Routes the written part through the write's node, and passes the rest on.

        Raises:
            RuntimeError: what was saved is freed already.
        """
        gradient = gradients[0]
        if self.written is None:
            raise RuntimeError(FREED_ERROR)
        if gradient is None:
            return [None] * len(self.edges)
        passed = self.laid_out(gradient)
        part = replay(passed, self.view_steps) if self.view_steps else as_strided(passed, *self.view_geometry)
        messages = list(self.written.apply([part.clone()]))
        if messages[0] is None:
            part.zero_()
        else:
            part.copy_(messages[0])
        return [passed, *messages[1:]]

    def laid_out(self, gradient: Tensor) -> Tensor:
        """A copy of the gradient with the base's strides, so that the view's window fits it."""
        if self.base_strides == contiguous_strides(self.base_shape):
            return with_mark(wrap(np.empty(self.base_shape, gradient._array.dtype)), gradient).copy_(gradient)
        reach = 1 + sum((n - 1) * s for n, s in zip(self.base_shape, self.base_strides, strict=True))
        memory = np.empty(max(reach, 0), gradient._array.dtype)
        return with_mark(wrap(look(memory, self.base_shape, self.base_strides)), gradient).copy_(gradient)

    def held(self) -> Any:
        """What the write's node still has."""
        return () if self.written is None else self.written.held()

    def release(self) -> None:
        """Frees the write's node: there is no second pass through here, whatever that node had saved."""
        self.written = None

    def name(self) -> str:
        """As in C++."""
        return "torch::autograd::CopySlices"


def rebase_history(self: Tensor, node: Node) -> Node:
    """After a recorded write: ``node`` is now where this tensor comes from, or what its base's `CopySlices` runs.

    Returns the node that stands in the graph; a view's own grad_fn is still to be made anew.
    """
    base = self._base
    owner = self if base is None else base
    if base is not None:
        node = CopySlices(base, self, node)
    keep_retaining(owner, node)
    owner._node, owner._output_nr, owner._requires_grad = node, 0, True
    return node


def keep_retaining(self: Tensor, node: Node) -> None:
    """A tensor that asked to keep its gradient goes on doing so at its new grad_fn; other hooks stay with the old.

    A leaf's hooks are gone with its being a leaf, though its AccumulateGrad may still be reached.
    """
    old = self._node
    if old is None:
        self._hooks = None
    if self._result_hooks is not None:
        self._result_hooks = None
    if old is not None and old.retained and self._output_nr in old.retained:
        node.retained = {0: old.retained.pop(self._output_nr)}
        node.hooked = True


def regenerate_grad_fn(self: Tensor) -> None:
    """A view's grad_fn, made anew from its base.

    Raises:
        RuntimeError: for a view that autograd cannot follow through the write to its base.
    """
    base = self._base
    assert base is not None
    if self._creation:
        raise RuntimeError(restricted_view_error(self, "its base or another view of its base has been"))
    if self._view_steps:
        with enable_grad(), observing.silent():
            node: Any = replay(base._at(*base._gradient_edge(), True), self._view_steps)._node
    else:
        node = new(as_strided.node_type)
        node.sequence_nr = next_sequence_nr()
        node.edges = (base._gradient_edge(),)
        node.shapes, node.dtypes = (self._array.shape,), (self._array.dtype,)
        node.saved = saved_for(base, self)
    keep_retaining(self, node)
    self._node, self._output_nr, self._requires_grad = node, 0, True
    self._view_version = shared_counter(self).value
    if observing.listener is not None:
        observing.listener.grad_fn_remade(self, node)


def check_view_writable(self: Tensor) -> None:
    """Refuses in-place writes to views that PyTorch refuses.

    Raises:
        RuntimeError: the base is a leaf, or the view was made where writes to it cannot be tracked.
    """
    base = self._base
    assert base is not None
    if self._creation:
        raise RuntimeError(restricted_view_error(self, "is being"))
    if self.requires_grad and base._node is None:
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")


MODES_OF_CREATION = {"no_grad": "no_grad", "inference": "inference"}


def restricted_view_error(self: Tensor, touched: str) -> str:
    """PyTorch's words for writing to a view (or to its base: ``touched``) that autograd cannot follow."""
    node, creation = self._node, self._creation
    mode = MODES_OF_CREATION.get(creation)
    if mode is not None or node is None:
        whose = (
            "A view was created in"
            if node is None
            else f"Output {self._output_nr} of {node.short_name()} is a view of a view which was created in"
        )
        where = "in normal mode" if creation == "inference" else "with grad mode enabled"
        head = f"{whose} {mode or 'no_grad'} mode and {touched} modified inplace {where}."
    else:
        head = f"Output {self._output_nr} of {node.short_name()} is a view and {touched} modified inplace."
    if creation == "multi_output":
        return (
            f"{head} This view is the output of a function that returns multiple views. Such functions do not allow "
            "the output views to be modified inplace. You should replace the inplace operation by an out-of-place one."
        )
    if creation == "custom":
        return (
            f"{head} This view was created inside a custom Function (or because an input was returned as-is) and the "
            "autograd logic to handle view+inplace would override the custom backward associated with the custom "
            "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the "
            "output of the custom Function."
        )
    block = "no_grad" if creation == "no_grad" else "inference_mode"
    return (
        f"{head} Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code "
        f"by moving both the view and the inplace either both inside the {block} block (if you don't want the "
        "inplace to be tracked) or both outside (if you want the inplace to be tracked)."
    )


Tensor._rebase_history = rebase_history
Tensor._regenerate_grad_fn = regenerate_grad_fn
Tensor._check_view_writable = check_view_writable
