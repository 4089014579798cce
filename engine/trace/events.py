"""Every event that a step can be, declared once.

A step is one event with one cause (law 1). All events share `Event`: the span and scope that caused it and the words
the narration put on it. The union `Step` is what ``trace.steps`` holds; its tag is ``kind``. Order within one
operation: ``node_made`` (its accumulators first), ``tensor_saved`` per saved name, ``tensor_made`` for each result, and
``name_bound`` when the statement ends.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from engine.trace.parts import Claim, Formula, Number, Span, Value


class Event(msgspec.Struct, tag_field="kind", forbid_unknown_fields=True, gc=False, kw_only=True):
    """What every step has."""

    span: Span | None = None
    """The columns of the snippet that caused this step."""
    scope: int = 0
    """The innermost scope it happened in."""
    text: str = ""
    """The step in one short sentence."""
    detail: list[str] = []
    """Further sentences: why it happened, what follows, what people get wrong here."""
    formula: Formula | None = None
    """The mathematics of the step with its numbers put in."""
    claims: list[Claim] = []
    """What the sentences assert, checkable; every sentence has one at least."""
    warning: str | None = None
    """An unasked warning that belongs to this step: what is wrong and what to do."""


# ── forward ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class Line(Event, tag="line"):
    """A statement of the snippet is about to run."""

    times: int = 1
    """How often this line has been reached, this time included."""


class TensorMade(Event, tag="tensor_made"):
    """A tensor came to be: created by the person, or the result of an operation."""

    tensor: int
    """The new tensor."""
    value: Value
    """What it holds."""
    how: Literal["created", "result", "view", "random", "loaded", "gradient"] = "result"
    """Where it came from: made from data, by an operation, as a view, drawn at random, loaded, or by backward."""
    node: int | None = None
    """Its grad_fn."""
    operator: str = ""
    """The operator or function that made it: ``mul``, ``randn``."""
    inputs: list[int] = []
    """The tensors it was computed from, in argument order, tracked or not."""
    requires_grad: bool = False
    """Whether it is tracked at this moment (the table's row says how it ended up)."""


class NodeMade(Event, tag="node_made"):
    """A backward node was recorded (for AccumulateGrad: a leaf got its door into the graph)."""

    node: int
    """The new node."""


class TensorSaved(Event, tag="tensor_saved"):
    """A node kept something that its derivative will need."""

    node: int
    """The node that keeps it."""
    name: str
    """Saved name as in ``_saved_<name>``."""
    tensor: int | None = None
    """The saved tensor; None when it is a plain Python value."""
    version: int | None = None
    """The tensor's version at the time; a later write in place makes backward raise."""
    value: str = ""
    """The value as people read it."""


class NameBound(Event, tag="name_bound"):
    """A variable or attribute now means another tensor."""

    name: str
    """The variable, or the path to it: ``w``, ``model.fc1.weight``."""
    tensor: int
    """The tensor it means now."""
    previous: int | None = None
    """The tensor the name meant before."""


class NameUnbound(Event, tag="name_unbound"):
    """A variable is gone (``del``) or no longer means a tensor."""

    name: str
    """The variable that is gone."""
    previous: int
    """The tensor it meant."""


class ViewMade(Event, tag="view_made"):
    """Two tensors now share storage."""

    tensor: int
    """The view."""
    base: int
    """The tensor whose storage it shares."""


class ValueWritten(Event, tag="value_written"):
    """A tensor was changed in place; its version went up."""

    tensor: int
    """The tensor that was written to."""
    operator: str
    """``add_``, ``__setitem__``, ``copy_`` …"""
    version_before: int
    """Its version until now."""
    version_after: int
    """Its version from now on."""
    value: Value
    """What it holds now."""
    shared_with: list[int] = []
    """Live tensors of the same storage, which changed too."""
    shared_values: list[Value] = []
    """What each of these holds now."""
    node: int | None = None
    """Its grad_fn from now on (for a view, its base's), where the write was recorded in the graph."""


class RequiresGradChanged(Event, tag="requires_grad_changed"):
    """``requires_grad_()`` or an assignment to ``.requires_grad`` switched a leaf."""

    tensor: int
    """The leaf."""
    requires_grad: bool
    """What it is now."""


class RetainAsked(Event, tag="retain_asked"):
    """``retain_grad()``: a result will keep its gradient in the passes to come."""

    tensor: int
    """The intermediate tensor that shall keep its gradient."""


class GraphLeft(Event, tag="graph_left"):
    """A value left the graph: what follows from it gets no gradient through here."""

    how: Literal[
        "detach",
        "data",
        "item",
        "numpy",
        "no_grad",
        "inference_mode",
        "not_differentiable",
        "integer",
        "tolist",
        "copied",
    ]
    """By which way it left: a method (``detach``, ``item``), a mode (``no_grad``), or the kind of result."""
    source: int
    """The tensor that was (or would have been) tracked."""
    result: int | None = None
    """The untracked tensor, where there is one."""
    operator: str = ""
    """The operator that ran untracked, where it was one."""


class ModeChanged(Event, tag="mode_changed"):
    """Gradient mode, inference mode, or a module's training flag was switched."""

    mode: Literal["grad", "inference", "training"]
    """Which mode."""
    enabled: bool
    """Whether it is on now."""
    module: str = ""
    """For training: which module."""


class Printed(Event, tag="printed"):
    """The snippet wrote to standard output (or standard error)."""

    output: str
    """What was written, line ends included."""
    stream: Literal["stdout", "stderr"] = "stdout"
    """Where it was written."""


class Warned(Event, tag="warned"):
    """PyTorch or Python warned."""

    category: str
    """Python's class of the warning: ``UserWarning``."""
    message: str
    """What it says."""


class Bookmark(Event, tag="bookmark"):
    """``breakpoint()`` was reached; here it marks a step and the run goes on."""


# ── backward ─────────────────────────────────────────────────────────────────────────────────────────────────────────


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


# ── training ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class GradientsZeroed(Event, tag="gradients_zeroed"):
    """``zero_grad()`` or ``t.grad = None`` cleared gradients."""

    tensors: list[int]
    """Whose gradients."""
    to_none: bool
    """True: ``.grad`` is None now; False: it is a tensor of zeros."""


class GradientSet(Event, tag="gradient_set"):
    """``t.grad = g``: the snippet put a gradient there itself."""

    tensor: int
    """Whose ``.grad`` it is."""
    old: Value | None
    """What was there before; None is PyTorch's ``None``."""
    value: Value
    """What is there now."""


class ParameterChange(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """One parameter in one optimizer step."""

    tensor: int
    """The parameter."""
    before: Value
    """Its value before the step."""
    after: Value
    """Its value after the step."""
    gradient: Value | None
    """Its ``.grad`` at the step; None where there was none."""


class OptimizerStepped(Event, tag="optimizer_stepped"):
    """``optimizer.step()`` changed parameters."""

    optimizer: str
    """Class name: ``SGD``."""
    settings: dict[str, Number | bool | None]
    """What it was made with: ``lr``, ``momentum`` …"""
    changes: list[ParameterChange]
    """What it did to each parameter that it changed."""


class Standing(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """How a tensor stands after steps that were not kept."""

    tensor: int
    """The tensor."""
    value: Value
    """What it holds now."""
    version: int
    """Its version now."""
    gradient: Value | None
    """Its ``.grad`` now."""


class StepsLeftOut(Event, tag="steps_left_out"):
    """The run went on here while its steps were not kept; what changed meanwhile is told at once."""

    statements: int
    """How many statements ran."""
    passes: int
    """How many backward passes ran."""
    standings: list[Standing]
    """The tensors known from before that changed or have a gradient, as they are now."""
    grad_enabled: bool
    """Whether operations are recorded now."""
    inference: bool
    """Whether inference mode is on now."""


# ── end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Ended(Event, tag="ended"):
    """The last step of every trace."""

    status: Literal["ok", "error", "limit"]
    """As in the outcome."""


Step = (
    Line
    | TensorMade
    | NodeMade
    | TensorSaved
    | NameBound
    | NameUnbound
    | ViewMade
    | ValueWritten
    | RequiresGradChanged
    | RetainAsked
    | GraphLeft
    | ModeChanged
    | Printed
    | Warned
    | Bookmark
    | BackwardStarted
    | NodeRan
    | MessageSent
    | BroadcastUndone
    | MessagesSummed
    | BuffersFreed
    | HookFired
    | GradientStored
    | GradientReturned
    | BackwardEnded
    | Recomputed
    | Recalled
    | GradientsZeroed
    | GradientSet
    | OptimizerStepped
    | StepsLeftOut
    | Ended
)
"""Any step of a trace, told apart by ``kind``."""
