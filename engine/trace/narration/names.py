"""What to call a tensor at one moment: its label, and which one of several that bore it.

A name moves on: after ``w = w - lr * w.grad`` another tensor is ``w``, and the leaf is the ``w`` of an earlier line. In a
loop the one meant is that of a turn.
"""

from __future__ import annotations

from collections import Counter

from engine.trace import events
from engine.trace.document import Trace
from engine.trace.enclosing import around
from engine.trace.marks import code
from engine.trace.state import State
from engine.trace.turns import example_number, place_name


def is_one_word(label: str) -> bool:
    """Whether a label is one piece of code, which a possessive or an attribute can follow."""
    return label.startswith("`") and label.endswith("`") and label.count("`") == 2


def own(label: str, thing: str) -> str:
    """``x's numbers``, or ``the numbers of the x of turn 1``."""
    return f"{label}'s {thing}" if is_one_word(label) else f"the {thing} of {label}"


class Names:
    """The labels of a trace's tensors, as they are to be read at the moment."""

    def __init__(self, trace: Trace, state: State) -> None:
        self.trace = trace
        self.state = state
        labels = [tensor.label for tensor in trace.tensors]
        shared = Counter(labels)
        self._plain = [code(label) for label in labels]
        self._ambiguous = {index for index, label in enumerate(labels) if shared[label] > 1}
        self._latest: dict[str, int] = {}
        """For each label that several tensors bear: the newest of them."""
        self._home: dict[int, tuple[int, str]] = {}
        """Where a tensor got the name that is its label: a function (or the program), and the name."""

    def hear(self, step: events.Step) -> None:
        """Follows what is made and bound."""
        match step:
            case events.NameBound(name=name, tensor=tensor):
                label = self.trace.tensors[tensor].label
                if label == name:
                    self._home.setdefault(tensor, (self.state.holder(step.scope), name))
                if tensor in self._ambiguous:
                    self._latest[label] = tensor
            case events.TensorMade(tensor=tensor) if tensor in self._ambiguous:
                self._latest[self.trace.tensors[tensor].label] = tensor

    def label(self, tensor: int) -> str:
        """The tensor's label, marked as code, and which one it is where its name means another by now."""
        bearer = self.bearer(tensor)
        return self._plain[tensor] if bearer == tensor else self._earlier(tensor, bearer)

    def gradient(self, tensor: int) -> str:
        """A tensor's ``.grad``: `` `w`.grad``, or that of a tensor which no one word names."""
        label = self.label(tensor)
        return f"{label}.grad" if is_one_word(label) else f"the .grad of {label}"

    def was_bound(self, tensor: int) -> bool:
        """Whether a name was bound to it that is its label."""
        return tensor in self._home

    def bearer(self, tensor: int) -> int:
        """The tensor that its label means now."""
        home = self._home.get(tensor)
        if home is not None:
            named = self.state.names.get(home)
            if named is not None and named != tensor:
                return named
        if tensor in self._ambiguous:
            return self._latest.get(self.trace.tensors[tensor].label, tensor)
        return tensor

    def _earlier(self, tensor: int, bearer: int) -> str:
        label, trace = self._plain[tensor], self.trace
        old, new = self._turns(tensor), self._turns(bearer)
        for turn, other in zip(old, new, strict=False):
            if turn != other:
                return f"the {label} of {place_name(trace.scopes[turn].title)}"
        if len(old) != len(new) and old:
            return f"the {label} of {place_name(trace.scopes[old[-1]].title)}"
        span, beside = trace.tensors[tensor].span, trace.tensors[bearer].span
        if span is not None and beside is not None and span.line != beside.line:
            return f"the {label} of line {span.line}"
        return f"the earlier {label}" if tensor < bearer else label

    def _turns(self, tensor: int) -> list[int]:
        """The loop turns, and vmap's examples, that a tensor was made in, from the outermost."""
        outwards = around(self.trace, self.trace.tensors[tensor].scope)
        scopes = self.trace.scopes
        return [
            scope
            for scope in outwards
            if scopes[scope].kind == "loop_turn" or example_number(scopes[scope].title) is not None
        ][::-1]
