"""Backward: messages, sums, nodes that run, hooks, and gradients that arrive."""

from __future__ import annotations

from typing import Literal

from engine.trace.events.event import Event
from engine.trace.parts import Value


class BackwardStarted(Event, tag="backward_started"):
    """``backward()`` or ``autograd.grad()`` was called."""

    call: int
    """Number of this backward pass, from 1."""
    function: Literal["backward", "grad"]
    """Which of the two was called."""
    roots: list[int]
    """The tensors it starts from."""
    seeds: list[Value]
    """The gradient each root starts with."""
    retain_graph: bool
    """Whether saved tensors outlive the pass."""
    create_graph: bool
    """Whether the pass is recorded itself, for higher derivatives."""
    inputs: list[int] | None = None
    """Tensors asked for, when not all leaves."""


class NodeRan(Event, tag="node_ran"):
    """A node received all its messages and computes its derivatives."""

    call: int
    """The backward pass it belongs to."""
    node: int
    """The node that runs."""
    order: int
    """Its place in the order of execution of this pass, from 0."""
    gradients: list[Value | None]
    """The summed incoming gradient of each of its outputs; None where nothing arrived."""


class MessageSent(Event, tag="message_sent"):
    """A node sends a gradient along one edge."""

    call: int
    """The backward pass it belongs to."""
    node: int
    """The sender."""
    slot: int
    """Which of the node's edges."""
    to: int
    """The receiving node."""
    input_nr: int
    """Which output of the receiving node's forward the gradient is for."""
    value: Value | None
    """None: an undefined gradient (counts as zero and is not stored)."""
    derivative: str = ""
    """The derivative that ran, with the snippet's names in: ``grad · b``; empty where it is no readable formula."""
    substituted: str = ""
    """The same with numbers put in: ``1 · 4 = 4``; empty for anything but small tensors."""


class BroadcastUndone(Event, tag="broadcast_undone"):
    """A gradient was summed back to the shape its input had before broadcasting."""

    call: int
    """The backward pass it belongs to."""
    node: int
    """The node whose message it is."""
    slot: int
    """Along which of its edges."""
    before: list[int]
    """Shape as computed."""
    after: list[int]
    """Shape of the input."""
    value: Value
    """The gradient after summing."""


class MessagesSummed(Event, tag="messages_summed"):
    """A message arrived where another one already waited; they add up."""

    call: int
    """The backward pass it belongs to."""
    node: int
    """The receiving node."""
    input_nr: int
    """Which output of its forward the messages are for."""
    arrived: int
    """How many messages are in, this one included."""
    expected: int
    """How many will arrive in this pass."""
    before: Value
    """The sum of what had arrived."""
    incoming: Value
    """The message that arrives now."""
    value: Value
    """The sum."""


class BuffersFreed(Event, tag="buffers_freed"):
    """A node dropped its saved tensors."""

    call: int
    """The backward pass it belongs to."""
    node: int
    """The node that lets go."""
    names: list[str]
    """Saved names that are gone."""


class HookFired(Event, tag="hook_fired"):
    """A hook of the person's ran during backward (or around a module's forward)."""

    hook: Literal[
        "tensor",
        "post_accumulate",
        "node",
        "node_pre",
        "module_forward",
        "module_backward",
        "saved_pack",
        "saved_unpack",
    ]
    """What kind of hook, by where it is registered."""
    function: str
    """Name of the hook function, ``<lambda>`` included."""
    tensor: int | None = None
    """The tensor it is registered on."""
    node: int | None = None
    """The node it is registered on."""
    module: str = ""
    """The module it is registered on, by its path."""
    before: Value | None = None
    """The gradient (or value) that it was given."""
    after: Value | None = None
    """What the hook made of it; None when it changed nothing."""


class GradientStored(Event, tag="gradient_stored"):
    """``.grad`` of a leaf (or of a tensor with retain_grad) was filled or added to."""

    call: int
    """The backward pass it belongs to."""
    tensor: int
    """Whose ``.grad`` it is."""
    node: int | None
    """AccumulateGrad for leaves, the node whose output was retained otherwise."""
    old: Value | None
    """What was there before; None is PyTorch's ``None``."""
    incoming: Value
    """What this pass adds."""
    new: Value
    """What is there now."""
    retained: bool = False
    """True for an intermediate tensor that was told ``retain_grad()``."""


class GradientReturned(Event, tag="gradient_returned"):
    """``autograd.grad`` captured a gradient to return it; no ``.grad`` is touched."""

    call: int
    """The backward pass it belongs to."""
    tensor: int
    """The input that the gradient is for."""
    value: Value | None
    """The gradient; None where the input was not reached."""


class BackwardEnded(Event, tag="backward_ended"):
    """The pass is over."""

    call: int
    """The backward pass that ends."""
    reached: list[int]
    """Leaves (or asked-for inputs) that got a gradient."""
    missed: list[int]
    """Known leaves that require grad and were not reached."""
    freed: bool
    """Whether the graph's buffers were freed."""


class Recomputed(Event, tag="recomputed"):
    """A checkpoint ran its forward again to get the tensors it had not kept."""

    function: str
    """Its name."""


class Recalled(Event, tag="recalled"):
    """In a checkpoint's second run, an operator's result was not computed again: the policy had it kept."""

    operator: str
    """Its name in ``torch.ops``, as ``aten.mm.default``."""
