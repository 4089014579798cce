"""What is true after each step: the replay that narration, claims, diagnosis and questions read.

`State.advance` applies one step. It knows no words and looks at nothing but the trace, in order.
"""

from __future__ import annotations

from engine.trace import events
from engine.trace.document import Trace
from engine.trace.parts import Value


class State:
    """The program and its graph at one moment of the replay."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.step = -1
        self.values: dict[int, Value] = {}
        """Each tensor's elements now."""
        self.versions: dict[int, int] = {}
        self.storage: dict[int, int] = {}
        """For a tensor that shares storage: the one that had it first."""
        self.requires_grad: dict[int, bool] = {}
        self.grad_fn: dict[int, int | None] = {}
        self.grads: dict[int, Value | None] = {}
        """``.grad`` of every tensor that has been touched by a pass or a zeroing."""
        self.stored_by: dict[int, list[tuple[int, int]]] = {}
        """(pass, step) of every contribution that a ``.grad`` holds now."""
        self.names: dict[tuple[int, str], int] = {}
        """What (scope's function, name) means."""
        self.nodes: list[int] = []
        """Nodes recorded so far, AccumulateGrad left out."""
        self.accumulators: dict[int, int] = {}
        """Each leaf's AccumulateGrad (a leaf gets a new one when the graphs that held the old one are gone)."""
        self.consumers: dict[tuple[int, int], list[tuple[int, int]]] = {}
        """(node, slot) of every edge into (node, output)."""
        self.saved: dict[tuple[int, str], Value | str] = {}
        """What a node saved under a name: the value then, or a plain value's text."""
        self.freed: dict[int, tuple[int, int]] = {}
        """(pass, step) that freed a node's buffers."""
        self.finished: set[int] = set()
        """Nodes of graphs that a pass has run and not kept: what they are made of is history."""
        self.left: dict[int, str] = {}
        """By which way each tensor left the graph."""
        self.grad_enabled = True
        self.inference = False
        self.call = 0
        self.started: dict[int, int] = {}
        """Step at which each pass began."""
        self.ran: dict[int, events.NodeRan] = {}
        """In this pass: each node's run."""
        self.ran_at: dict[int, int] = {}
        """In this pass: the step of each node's run."""
        self.sent_at: dict[tuple[int, int], int] = {}
        """In this pass: the step of the message along each (node, slot)."""
        self.unbroadcast: set[tuple[int, int]] = set()
        """In this pass: the edges whose gradient was summed back to a smaller shape."""
        self.freed_in_pass = 0
        """In this pass: how many nodes let go of what they had saved."""
        self.sent: set[int] = set()
        """In this pass: the nodes that have sent something."""
        self.arrived: dict[tuple[int, int], list[events.MessageSent]] = {}
        """In this pass: the messages into each (node, output)."""

    def advance(self, step: events.Step) -> None:
        """Applies the next step."""
        self.step += 1
        trace = self.trace
        match step:
            case events.TensorMade(tensor=tensor, value=value):
                self._meet(tensor, value, step.requires_grad, step.node)
            case events.NodeMade(node=node):
                row = trace.nodes[node]
                if row.leaf is None:
                    self.nodes.append(node)
                    self.grad_fn.update(dict.fromkeys(row.outputs, node))
                else:
                    self.accumulators[row.leaf] = node
                for slot, edge in enumerate(row.edges):
                    if edge.node is not None:
                        self.consumers.setdefault((edge.node, edge.input_nr), []).append((node, slot))
                for saved in row.saved:
                    if saved.tensor is None:
                        self.saved[node, saved.name] = saved.text
            case events.TensorSaved(node=node, name=name, tensor=tensor, value=text):
                self.saved[node, name] = text if tensor is None else self.value(tensor) or text
            case events.ValueWritten(tensor=tensor, value=value, version_after=version, node=node):
                self.values[tensor] = value
                owner = trace.tensors[tensor].gradient_of
                if owner is not None:
                    self.grads[owner] = value
                    if is_zero(value):
                        self.stored_by.pop(owner, None)
                self.values.update(zip(step.shared_with, step.shared_values, strict=False))
                for other in (tensor, *step.shared_with):
                    self.versions[other] = version
                if node is not None:
                    base = trace.tensors[tensor].base
                    self.grad_fn[tensor if base is None else base] = node
                    for moved in (tensor, *([base] if base is not None else [])):
                        self.requires_grad[moved] = True
            case events.ViewMade(tensor=tensor, base=base):
                self.storage[tensor] = self.storage.get(base, base)
            case events.GraphLeft(source=source, result=result) if source == result:
                self.requires_grad[source], self.grad_fn[source] = False, None
            case events.GraphLeft(result=int() as result) if result not in self.values:
                self.left[result] = step.how
                made = trace.tensors[result].value
                if made is not None:
                    self.values[result] = made
                self.requires_grad[result], self.grad_fn[result] = False, None
                if step.how in ("detach", "data"):
                    self.storage[result] = self.storage.get(step.source, step.source)
            case events.RequiresGradChanged(tensor=tensor, requires_grad=requires_grad):
                self.requires_grad[tensor] = requires_grad
            case events.ModeChanged(mode="grad", enabled=enabled):
                self.grad_enabled = enabled
            case events.ModeChanged(mode="inference", enabled=enabled):
                self.inference = enabled
            case events.NameBound(name=name, tensor=tensor):
                self.names[self.holder(step.scope), name] = tensor
            case events.NameUnbound(name=name):
                self.names.pop((self.holder(step.scope), name), None)
            case events.BackwardStarted(call=call):
                self.call = call
                self.started[call] = self.step
                self.ran, self.arrived, self.unbroadcast, self.sent, self.freed_in_pass = {}, {}, set(), set(), 0
                self.ran_at, self.sent_at = {}, {}
            case events.NodeRan(node=node):
                self.ran[node] = step
                self.ran_at[node] = self.step
            case events.MessageSent(node=node, slot=slot, to=to, input_nr=input_nr):
                self.sent.add(node)
                self.sent_at[node, slot] = self.step
                self.arrived.setdefault((to, input_nr), []).append(step)
            case events.BroadcastUndone(node=node, slot=slot):
                self.unbroadcast.add((node, slot))
            case events.BuffersFreed(node=node, call=call):
                self.freed[node] = (call, self.step)
                self.freed_in_pass += 1
            case events.GradientStored(tensor=tensor, new=new, old=old, call=call):
                self.grads[tensor] = new
                held = self.stored_by.setdefault(tensor, [])
                if old is None:
                    held.clear()
                held.append((call, self.step))
            case events.BackwardEnded(freed=True):
                self.finished.update(self.ran)
            case events.GradientsZeroed(tensors=tensors, to_none=to_none):
                for tensor in tensors:
                    self.grads[tensor] = None if to_none else zeros_like(self.grads.get(tensor))
                    self.stored_by.pop(tensor, None)
            case events.GradientSet(tensor=tensor, value=value):
                self.grads[tensor] = value
                self.stored_by.pop(tensor, None)
            case events.OptimizerStepped(changes=changes):
                for change in changes:
                    self.values[change.tensor] = change.after
                    self.versions[change.tensor] = self.versions.get(change.tensor, 0) + 1
            case events.StepsLeftOut():
                self._catch_up(step)
            case _:
                pass

    def _catch_up(self, step: events.StepsLeftOut) -> None:
        """The graphs that were there are history, and nothing is known of what made the gradients."""
        self.grad_enabled, self.inference = step.grad_enabled, step.inference
        self.finished.update(self.nodes)
        for standing in step.standings:
            self.values[standing.tensor] = standing.value
            self.versions[standing.tensor] = standing.version
            if standing.gradient is not None or standing.tensor in self.grads:
                self.grads[standing.tensor] = standing.gradient
            self.stored_by.pop(standing.tensor, None)

    def _meet(self, tensor: int, value: Value, requires_grad: bool, node: int | None) -> None:
        self.values[tensor] = value
        self.versions.setdefault(tensor, 0)
        self.requires_grad[tensor] = requires_grad
        self.grad_fn[tensor] = node

    def value(self, tensor: int) -> Value | None:
        """A tensor's elements now."""
        return self.values.get(tensor) or self.trace.tensors[tensor].value

    def is_leaf(self, tensor: int) -> bool:
        """Whether no recorded operation stands behind it."""
        return self.grad_fn.get(tensor, self.trace.tensors[tensor].grad_fn) is None

    def tracked(self, tensor: int) -> bool:
        """Whether it requires grad."""
        return self.requires_grad.get(tensor, self.trace.tensors[tensor].requires_grad)

    def holder(self, scope: int) -> int:
        """The function (or the program) that a scope's names belong to."""
        scopes = self.trace.scopes
        while scopes[scope].kind not in ("program", "function"):
            parent = scopes[scope].parent
            if parent is None:
                break
            scope = parent
        return scope

    def leads_to(self, tensor: int) -> bool:
        """Whether the graph leads from where the running pass (or the last one) began to a tensor."""
        started = self.trace.steps[self.started[self.call]] if self.call in self.started else None
        place = self.receiver(tensor)
        if not isinstance(started, events.BackwardStarted) or place is None:
            return False
        waiting = [found[0] for root in started.roots if (found := self.receiver(root)) is not None]
        seen = set(waiting)
        while waiting:
            for edge in self.trace.nodes[waiting.pop()].edges:
                if edge.node is not None and (edge.node, edge.input_nr) == place:
                    return True
                if edge.node is not None and edge.node not in seen:
                    seen.add(edge.node)
                    waiting.append(edge.node)
        return False

    def passes_recorded(self) -> bool:
        """Whether the pass that runs (or ran last) was told ``create_graph``."""
        started = self.trace.steps[self.started[self.call]] if self.call in self.started else None
        return isinstance(started, events.BackwardStarted) and started.create_graph

    def broken_off(self) -> bool:
        """Whether the pass was left by an exception: its last node ran and sent nothing, though it has receivers."""
        if not self.ran:
            return False
        last = next(reversed(self.ran))
        return last not in self.sent and any(edge.node is not None for edge in self.trace.nodes[last].edges)

    def uses(self, tensor: int) -> list[tuple[int, int]]:
        """(node, slot) of every edge into the tensor from graphs that have not been used up."""
        place = self.receiver(tensor)
        if place is None:
            return []
        living = [use for use in self.consumers.get(place, []) if use[0] not in self.finished]
        self.consumers[place] = living
        return living

    def receiver(self, tensor: int) -> tuple[int, int] | None:
        """Where a tensor's gradient goes: its grad_fn and output, or its AccumulateGrad."""
        row = self.trace.tensors[tensor]
        node = self.grad_fn.get(tensor, row.grad_fn)
        if node is not None:
            return (node, row.output_nr)
        accumulator = self.accumulators.get(tensor)
        return None if accumulator is None else (accumulator, 0)


def is_zero(value: Value) -> bool:
    """Whether every element is known to be 0."""
    return value.data is not None and all(element == 0 for element in value.data)


def zeros_like(value: Value | None) -> Value | None:
    """The same shape, all zeros; None stays None."""
    if value is None:
        return None
    data: list[float | int | str | bool] | None = None if value.data is None else [0.0] * len(value.data)
    text = "0" if not value.shape else value.text
    if data is not None and len(value.shape) == 1 and value.text.startswith("["):
        text = "[" + ", ".join("0" * len(data)) + "]"
    return Value(value.shape, value.dtype, text, data)


def single(value: Value | None) -> float | None:
    """The number of a one-element value; None for a complex one, which no float holds."""
    if value is None or value.data is None or len(value.data) != 1 or "complex" in value.dtype:
        return None
    return float(value.data[0])
