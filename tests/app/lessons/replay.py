"""Answers a lesson's claims from the trace alone: the same questions that real PyTorch is asked, put to a replay."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.lessons.anchors import offset, statement_at
from app.lessons.lesson import Pointer
from app.lessons.prose import Claim, Moment
from engine.trace import events
from engine.trace.document import Trace
from engine.trace.parts import Span, Value
from engine.trace.state import State
from tests.oracle import lesson_answers


def answer(trace: Trace, claim: Claim) -> Any:
    """What the trace says to the claim's subject at its moment."""
    state = State(trace)
    printed = ""
    for step in trace.steps[: end_of(trace, claim.moment)]:
        state.advance(step)
        printed += step.output if isinstance(step, events.Printed) and step.stream == "stdout" else ""
    return plain(eval(claim.subject, {"printed": printed.splitlines(), "sent": sent_in(state)}, Names(state)))


def end_of(trace: Trace, moment: Moment | None) -> int:
    """The index of the first step after the moment."""
    if moment is None:
        return len(trace.steps)
    statement = statement_at(trace.code, moment.on, moment.occurrence)
    start = offset(trace.code, statement.lineno, statement.col_offset)
    turn = 0
    for index, step in enumerate(trace.steps):
        if not isinstance(step, events.Line):
            continue
        if step.span is not None and characters(trace.code, step.span)[0] == start:
            turn += 1
            if turn == moment.turn:
                return next_statement(trace, index)
    raise AssertionError(f"the trace has {turn} turns of the statement with {moment.on!r}, not {moment.turn}")


def next_statement(trace: Trace, index: int) -> int:
    """The step at which the statement of step ``index`` is over: the next line that was not called by it."""
    scope = trace.steps[index].scope
    for following in range(index + 1, len(trace.steps)):
        step = trace.steps[following]
        if isinstance(step, events.Ended) or (isinstance(step, events.Line) and not inside(trace, step.scope, scope)):
            return following
    raise AssertionError("the trace has no end")


def inside(trace: Trace, scope: int | None, outer: int) -> bool:
    """Whether ``scope`` is within a call made from ``outer`` (a loop turn of the same block is no call)."""
    called = False
    while scope is not None and scope != outer:
        called = called or trace.scopes[scope].kind != "loop_turn"
        scope = trace.scopes[scope].parent
    return scope == outer and called


def pointed_at(trace: Trace, pointer: Pointer) -> int:
    """The step that a pointer means; as ``static/src/state/pointer.ts`` finds it."""
    start = -1
    for _ in range(pointer.occurrence or 1):
        start = trace.code.index(pointer.on, start + 1)
    fitting = [
        index
        for index, step in enumerate(trace.steps)
        if step.__struct_config__.tag == pointer.kind
        and step.span is not None
        and characters(trace.code, step.span)[0] < start + len(pointer.on)
        and start < characters(trace.code, step.span)[1]
        and (not pointer.of or pointer.of in subjects(trace, step))
    ]
    return fitting[pointer.nth - 1]


def subjects(trace: Trace, step: events.Step) -> set[str]:
    """What a step is about: the label of its tensor, the class of its node."""
    tensor, node = getattr(step, "tensor", None), getattr(step, "node", None)
    about = set() if node is None else {trace.nodes[node].name}
    return about if tensor is None else about | {trace.tensors[tensor].label}


def characters(code: str, span: Span) -> tuple[int, int]:
    """A span as offsets into the code."""
    starts = [0]
    for line in code.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts[span.line - 1] + span.column, starts[span.end_line - 1] + span.end_column


class Names(dict[str, Any]):
    """The snippet's names at a moment: tensors, and modules as paths to them."""

    def __init__(self, state: State) -> None:
        self.state = state
        rows = enumerate(state.trace.tensors)
        attributes = {name: index for index, row in rows if row.step <= state.step for name in row.names if "." in name}
        self.known = attributes | {name: tensor for (holder, name), tensor in state.names.items() if holder == 0}

    def __getitem__(self, name: str) -> Any:
        return found(self.state, self.known, name)


class Path:
    """A name that is no tensor but leads to some: ``model`` in ``model.weight``."""

    def __init__(self, state: State, known: dict[str, int], path: str) -> None:
        self._arguments = state, known, path

    def __getattr__(self, name: str) -> Any:
        state, known, path = self._arguments
        return found(state, known, f"{path}.{name}")

    def __getitem__(self, index: int) -> Any:
        state, known, path = self._arguments
        inner = f"{path}[{index}]"
        return found(state, known, inner if inner in known else f"{path}.{index}")


def found(state: State, known: dict[str, int], name: str) -> Any:
    if name in known:
        return Seen(state, known[name])
    if any(each.startswith((f"{name}.", f"{name}[")) for each in known):
        return Path(state, known, name)
    raise KeyError(name)


class Seen(np.lib.mixins.NDArrayOperatorsMixin):
    """A tensor as the replay knows it, under PyTorch's attributes."""

    def __init__(self, state: State, tensor: int) -> None:
        self._state, self._tensor = state, tensor

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*(array(each) if isinstance(each, Seen) else each for each in inputs), **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(array(self), name)

    def __getitem__(self, index: Any) -> Any:
        return array(self)[index]

    def numel(self) -> int:
        return int(array(self).size)

    @property
    def grad(self) -> Any:
        gradient = self._state.grads.get(self._tensor)
        return None if gradient is None else numbers(gradient)

    @property
    def grad_fn(self) -> SeenNode | None:
        node = self._state.grad_fn.get(self._tensor, self._state.trace.tensors[self._tensor].grad_fn)
        return None if node is None else SeenNode(self._state, node)

    @property
    def _version(self) -> int:
        return self._state.versions.get(self._tensor, 0)

    @property
    def requires_grad(self) -> bool:
        return self._state.tracked(self._tensor)

    @property
    def is_leaf(self) -> bool:
        return self._state.is_leaf(self._tensor)


class SeenNode:
    """A node of the trace."""

    def __init__(self, state: State, node: int) -> None:
        self.state, self.node = state, node
        self.name = state.trace.nodes[node].name

    @property
    def next_functions(self) -> list[tuple[SeenNode | None, int]]:
        edges = self.state.trace.nodes[self.node].edges
        return [(None if e.node is None else SeenNode(self.state, e.node), e.input_nr) for e in edges]


def sent_in(state: State) -> Any:
    """The helper ``sent`` of the claims."""

    def sent(node: SeenNode, slot: int) -> Any:
        messages = [
            step
            for step in state.trace.steps[: state.step + 1]
            if isinstance(step, events.MessageSent) and (step.node, step.slot) == (node.node, slot)
        ]
        value = messages[-1].value
        return None if value is None else numbers(value)

    return sent


def array(seen: Seen) -> Any:
    value = seen._state.value(seen._tensor)
    assert value is not None
    return numbers(value)


def numbers(value: Value) -> Any:
    """A value's elements; claims are about tensors small enough to be whole in a trace."""
    assert value.data is not None, f"a tensor of shape {value.shape} is not whole in the trace"
    return np.array([float(e) if isinstance(e, str) else e for e in value.data]).reshape(value.shape)


def plain(value: Any) -> Any:
    """As ``tests.oracle.lesson_answers.plain``, of what is seen in a trace."""
    if isinstance(value, SeenNode):
        return value.name
    if isinstance(value, list | tuple):
        return [plain(element) for element in value]
    return lesson_answers.plain(array(value) if isinstance(value, Seen) else value)
