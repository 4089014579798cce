"""Gradients as bare arrays.

Unless the derivatives' own graph is wanted (``create_graph``) or somebody listens, gradients need not be tensors: they travel
as numpy arrays, and a derivative that is plain arithmetic runs on them directly (``Node.apply_bare``). Everything else is
wrapped for the call. This is `engine.autograd.engine.ReportedTask` without reports, several times faster on small graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.autograd import hooks
from engine.autograd.currency import currency, unwrapped, wrapped
from engine.autograd.node import FLOAT32, SCALAR, Node
from engine.autograd.task import GraphTask
from engine.summation import carrier, summed

float32 = np.float32


class BareTask(GraphTask):
    """A pass whose messages are arrays."""

    def seed(self) -> None:
        """Roots start with the arrays of the tensors given."""
        for (node, input_nr), gradient in self.roots:
            assert node is not None
            buffer = self.buffers.setdefault(node, [None] * len(node.shapes))
            if gradient is not None:
                waiting = buffer[input_nr]
                buffer[input_nr] = gradient._array if waiting is None else waiting + gradient._array

    def loop(self) -> None:
        """Hooks, capture, derivative, messages: node by node."""
        messages: Any
        arrived: Any
        heap, ready, buffers, dependencies = self.ready.heap, self.ready, self.buffers, self.dependencies
        captures, everything, keep = self.captures, self.needed is None, self.keep_graph
        while heap:
            node = heap.pop() if len(heap) == 1 else ready.pop()
            gradients = buffers.pop(node)
            hooked = node.hooked
            if captures is not None and not self.capture(node, gradients):
                continue
            if hooked:
                self.node = node
                gradients = unwrapped(hooks.before_run(node, hooks.before_capture(node, wrapped(gradients))))
            if captures is None:
                messages = node.apply_bare(gradients)
            else:
                messages = self.derived_toward_needed(node, node.apply_bare, gradients)
            if not messages and node.is_sink and not hooked:  # a leaf: nothing to check, free or send
                continue
            if hooked or node.hooked:  # looked up again: unpacking a saved tensor may have registered a hook
                messages = checked(node, messages, fitted)
                if node.post_hooks:
                    arrived = wrapped(gradients) if hooked else []
                    messages = unwrapped(hooks.after_run(node, wrapped(messages), arrived))
            if not keep:
                node.release()
            for slot, (receiver, input_nr) in enumerate(node.edges):
                if receiver is None:
                    continue
                message = messages[slot]
                if type(message) is float32 and receiver.shapes is SCALAR and receiver.dtypes is FLOAT32:
                    pass
                elif message is not None and (
                    message.shape != receiver.shapes[input_nr] or message.dtype is not receiver.dtypes[input_nr]
                ):
                    message = fitted(node, slot, message)
                buffer = buffers.get(receiver)
                if buffer is None:
                    buffer = buffers[receiver] = [None] * len(receiver.shapes)
                    buffer[input_nr] = message
                elif message is not None:
                    waiting = buffer[input_nr]
                    buffer[input_nr] = message if waiting is None else waiting + message
                left = dependencies[receiver] - 1
                if left:
                    dependencies[receiver] = left
                elif everything or self.wanted(receiver):
                    if heap:
                        ready.push(receiver)
                    else:
                        heap.append(receiver)
            messages = message = buffer = arrived = None  # a leaf takes over a gradient that nobody else holds

    def capture(self, node: Node, gradients: list[Any]) -> bool:
        """Keeps the gradients that were asked for here; says whether the node must run for others."""
        assert self.captures is not None
        assert self.needed is not None
        runs = node in self.needed
        if node.hooked and not runs:
            # A node that runs calls its tensors' hooks then, and PyTorch captures what had come before them.
            self.node = node
            gradients = unwrapped(hooks.before_capture(node, wrapped(gradients)))
        for input_nr, place in self.captures.get(node, ()):
            gradient = gradients[input_nr]
            self.captured[place] = None if gradient is None else currency.wrap(gradient)
        return runs


def checked(node: Node, messages: Sequence[Any], fit: Callable[[Node, int, Any], Any]) -> list[Any]:
    """The messages as their receivers get them: hooks after a node see gradients that fit, or do not run at all."""
    return [
        message if message is None or receiver is None else fit(node, slot, message)
        for slot, (message, (receiver, _)) in enumerate(zip(messages, node.edges, strict=False))
    ]


def fitted(node: Node, slot: int, message: Any) -> Any:
    """The message in the shape and dtype that the receiver's forward output had.

    Raises:
        RuntimeError: PyTorch's "returned an invalid gradient", when the shapes cannot be reconciled by summing.
    """
    receiver, input_nr = node.edges[slot]
    assert receiver is not None
    shape, dtype = receiver.shapes[input_nr], receiver.dtypes[input_nr]
    if message.shape != shape:
        summed = summed_to(message, shape)
        if summed is None:
            raise RuntimeError(node.misfit(slot, message.shape))
        message = summed
    if dtype is None or message.dtype == dtype:
        return message
    return (message.real if message.dtype.kind == "c" and dtype.kind != "c" else message).astype(dtype)


def summed_to(array: Any, shape: tuple[int, ...]) -> Any:
    """Undoes broadcasting from ``shape``; None when this shape cannot have come from it.

    The result has memory of its own, even if all that is summed has length one: two receivers must not keep the same.
    """
    lead = array.ndim - len(shape)
    kept = array.shape[lead:] if lead >= 0 else ()
    if lead < 0 or (kept != shape and any(n not in (1, m) for n, m in zip(shape, kept, strict=True))):
        return None
    axes = tuple([i for i, n in enumerate(array.shape) if n != 1 and (i < lead or shape[i - lead] == 1)])
    dtype = array.dtype
    if axes:
        return summed(array.astype(carrier(dtype), copy=False), axes, True).astype(dtype, copy=False).reshape(shape)
    return (array.copy() if dtype.kind == "V" else array + 0).reshape(shape)  # a sum starts from 0, so it is never -0
