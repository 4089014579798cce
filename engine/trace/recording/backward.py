"""Reports of the backward engine become steps: messages, sums, nodes run, buffers freed, gradients stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.tensor import Tensor
from engine.trace import events
from engine.trace.limits import ELEMENTS, OPERATION
from engine.trace.recording.base import Pass, Recording
from engine.trace.recording.saving import freed_names


class Backward(Recording):
    """The backward half of the recorder."""

    def backward_started(
        self,
        function: Any,
        roots: Sequence[Any],
        seeds: Sequence[Any],
        retain_graph: bool,
        create_graph: bool,
        inputs: Sequence[Any] | None,
    ) -> None:
        """``backward()`` or ``grad()`` was called."""
        self.calls += 1
        asked = None if inputs is None else [self.registry.tensor(tensor) for tensor in inputs]
        span = self.locator.here(2)
        title = f"{function}()" if self.calls == 1 else f"{function}(), pass {self.calls}"
        self.scopes.enter("backward", title, span)
        self.passes.append(Pass(self.calls, create_graph, asked, len(self.scopes.stack), span))
        if self.skips():
            return
        self.tell(
            events.BackwardStarted(
                call=self.calls,
                function=function,
                roots=[self.registry.tensor(root) for root in roots],
                seeds=[self.registry.value(seed) for seed in seeds if seed is not None],
                retain_graph=retain_graph,
                create_graph=create_graph,
                inputs=asked,
            )
        )

    def node_ran(self, node: Any, gradients: Sequence[Any]) -> None:
        """A node is about to compute."""
        first = gradients[0] if gradients else None
        elements = 0 if first is None else first._array.size
        if first is not None and elements > ELEMENTS and first.is_meta:
            elements = 0  # none is computed
        self.follower.spend(OPERATION + elements // ELEMENTS)
        task = self.passes[-1]
        order = task.order
        task.order += 1
        if not (self.tape.full and self.skips()):
            value = self.registry.value
            arrived = [None if gradient is None else value(gradient) for gradient in gradients]
            task.node = self.registry.node(node)
            self.tell(events.NodeRan(call=task.call, node=task.node, order=order, gradients=arrived))

    def buffers_freed(self, node: Any, names: Sequence[str]) -> None:
        """A node dropped what it had saved."""
        shown = freed_names(names)
        if shown and not self.skips():
            task = self.passes[-1]
            self.tell(events.BuffersFreed(call=task.call, node=task.node, names=shown))

    def message_sent(self, node: Any, slot: int, to: Any, input_nr: int, gradient: Any) -> None:
        """A gradient travels along an edge."""
        if not (self.tape.full and self.skips()):
            task = self.passes[-1]
            self.tell(
                events.MessageSent(
                    call=task.call,
                    node=task.node,
                    slot=slot,
                    to=self.registry.node(to),
                    input_nr=input_nr,
                    value=None if gradient is None else self.registry.value(gradient),
                )
            )

    def broadcast_undone(self, node: Any, slot: int, before: Any, after: Any) -> None:
        """A gradient was summed to the receiver's shape."""
        if not self.skips():
            task = self.passes[-1]
            self.tell(
                events.BroadcastUndone(
                    call=task.call,
                    node=task.node,
                    slot=slot,
                    before=list(before._array.shape),
                    after=list(after._array.shape),
                    value=self.registry.value(after),
                )
            )

    def messages_summed(
        self, node: Any, input_nr: int, arrived: int, expected: int, before: Any, incoming: Any, total: Any
    ) -> None:
        """A message was added to what already waited."""
        if not self.skips():
            self.tell(
                events.MessagesSummed(
                    call=self.passes[-1].call,
                    node=self.registry.node(node),
                    input_nr=input_nr,
                    arrived=arrived,
                    expected=expected,
                    before=self.registry.value(before),
                    incoming=self.registry.value(incoming),
                    value=self.registry.value(total),
                )
            )

    def hook_fired(
        self, hook: Any, function: Any, tensor: Any, node: Any, before: Any, after: Any, module: Any = None
    ) -> None:
        """A hook of the person's ran."""
        if not self.skips():
            self.tell(
                events.HookFired(
                    hook=hook,
                    function=str(getattr(function, "__name__", type(function).__name__)),
                    tensor=None if tensor is None else self.registry.tensor(tensor),
                    node=None if node is None else self.registry.node(node),
                    module="" if module is None else self.registry.module(module, type(module).__name__),
                    before=self.registry.value(before) if isinstance(before, Tensor) else None,
                    after=self.registry.value(after) if isinstance(after, Tensor) else None,
                )
            )

    def gradient_stored(self, tensor: Any, node: Any, old: Any, incoming: Any, new: Any, retained: bool) -> None:
        """``.grad`` was filled or added to."""
        self.follower.spend(OPERATION)
        if self.skips():
            return
        index = self.registry.tensor(tensor)
        if self.passes:
            self.passes[-1].reached.append(index)
        self.registry.gradient_of(new, index)
        arrived = self.registry.value(incoming)
        self.tell(
            events.GradientStored(
                call=self.calls,
                tensor=index,
                node=None if node is None else self.registry.node(node),
                old=self.registry.optional(old),
                incoming=arrived,
                new=arrived if new._array is incoming._array else self.registry.value(new),
                retained=retained,
            )
        )

    def gradient_returned(self, tensor: Any, gradient: Any) -> None:
        """``grad()`` captured a gradient."""
        if self.skips():
            return
        index = self.registry.tensor(tensor)
        if gradient is not None:
            self.passes[-1].reached.append(index)
            self.registry.gradient_of(gradient, index)
        self.tell(
            events.GradientReturned(call=self.passes[-1].call, tensor=index, value=self.registry.optional(gradient))
        )

    def backward_ended(self, freed: bool) -> None:
        """The pass is over, or was left by an exception."""
        task = self.passes.pop()
        if not self.skips():
            rows = self.tape.tensors
            reached = list(dict.fromkeys(task.reached))
            wanted = list(self.leaves) if task.inputs is None else task.inputs
            missed = [index for index in wanted if index not in reached and rows[index].requires_grad]
            self.tell(events.BackwardEnded(call=task.call, reached=reached, missed=missed, freed=freed))
        self.scopes.leave("backward")
