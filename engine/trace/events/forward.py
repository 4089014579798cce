"""Forward: tensors and nodes that come to be, what is saved, written to, and leaves the graph."""

from __future__ import annotations

from typing import Literal

from engine.trace.events.event import Event
from engine.trace.parts import Value


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
