"""All programs of this folder, each played once for all tests."""

from __future__ import annotations

import functools

from engine.trace.document import Trace
from engine.trace.play import play
from engine.trace.state import State
from tests.engine.trace.why.cases import cases
from tests.engine.trace.why.sound import sound

SNIPPETS = {**{case.id: case.code for case in cases()}, **sound()}


@functools.cache
def played(code: str) -> Trace:
    """The trace of a program, which no test changes."""
    return play(code)


def gradients_of(trace: Trace) -> dict[str, list[float]]:
    """What the trace says every leaf's .grad is at the end, by the last name of each."""
    state = State(trace)
    for step in trace.steps:
        state.advance(step)
    grads = {}
    for (holder, name), tensor in state.names.items():
        grad = state.grads.get(tensor)
        if holder == 0 and grad is not None and grad.data is not None and state.is_leaf(tensor):
            grads[name] = [float(element) for element in grad.data]
    return grads
