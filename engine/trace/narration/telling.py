"""What every narrator uses: names, values and places as words, and sentences that carry their claims."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from engine.trace.document import Trace
from engine.trace.events import Event
from engine.trace.marks import code, marked
from engine.trace.parts import Claim, Formula, Span, Value
from engine.trace.spans import Source
from engine.trace.state import State
from engine.trace.values import spelled

LONGEST = 48
"""Characters of source text inside a sentence."""
VECTOR, MATRIX = 6, 4
"""Elements that a sentence spells out; more are said by shape and range."""
MOST = 4
"""Things that are listed by name before the rest is counted."""


class Telling:
    """The words of one step. The first sentence is its text, the rest its detail."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.claims: list[Claim] = []
        self.formula: Formula | None = None

    def say(self, sentence: str, claim: Claim, *more: Claim) -> None:
        """Adds a sentence with what it asserts. There is no sentence without a claim."""
        self._add(marked(sentence), claim, *more)

    def quote(self, sentence: str, claim: Claim) -> None:
        """Adds a sentence with words of the snippet's own, which stay as they are."""
        self._add(sentence, claim)

    def _add(self, sentence: str, claim: Claim, *more: Claim) -> None:
        self.sentences.append(sentence)
        for asserted in (claim, *more):
            if asserted not in self.claims:
                self.claims.append(asserted)

    def put(self, event: Event) -> None:
        """Writes the words into the step."""
        if self.sentences:
            event.text = self.sentences[0]
            event.detail = self.sentences[1:]
        event.claims = self.claims
        event.formula = self.formula


class Reader:
    """A trace as a narrator sees it at one step: its tables, its source, and what is true now."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.source = Source(trace.code)
        self.state = State(trace)
        self._texts: dict[Span, str] = {}

    # ── names ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def symbol(self, tensor: int) -> str:
        """What to call a tensor inside a formula."""
        return self.trace.tensors[tensor].label

    def label(self, tensor: int) -> str:
        """What to call a tensor inside a sentence."""
        return code(self.trace.tensors[tensor].label)

    def node(self, node: int) -> str:
        """What to call a node."""
        row = self.trace.nodes[node]
        return row.name if row.leaf is None else f"{self.label(row.leaf)}'s AccumulateGrad"

    def text(self, span: Span | None) -> str:
        """The source inside a span, marked as code and cut to what fits a sentence."""
        if span is None:
            return ""
        text = self._texts.get(span)
        if text is None:
            text = self._texts[span] = code(cut(self.source.text(span)))
        return text

    def operation(self, node: int) -> str:
        """The source text of the operation that made a node; its part in that text where it is one of several."""
        row = self.trace.nodes[node]
        output = self.trace.tensors[row.outputs[0]] if row.outputs else None
        if output is not None and not output.names and not output.label.endswith("…"):
            return self.label(row.outputs[0])
        return self.text(row.span) or row.operator

    def list(self, tensors: Iterable[int]) -> str:
        """Several tensors by name."""
        return listed([self.label(tensor) for tensor in tensors])

    # ── values ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def value(self, tensor: int) -> str:
        """A tensor's elements now."""
        return shown(self.state.value(tensor))

    def following(self, skipped: type[Event]) -> Event | None:
        """The next step that is of another kind."""
        following = range(self.state.step + 1, len(self.trace.steps))
        steps = self.trace.steps
        return next((steps[index] for index in following if not isinstance(steps[index], skipped)), None)

    def root(self) -> str:
        """What the running pass differentiates: the root's name, or L for several roots."""
        started = self.trace.steps[self.state.started[self.state.call]]
        roots: Sequence[int] = getattr(started, "roots", [])
        return self.symbol(roots[0]) if len(roots) == 1 else "L"


def cut(text: str, longest: int = LONGEST) -> str:
    """The text, shortened with an ellipsis."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def shown(value: Value | None) -> str:
    """A value inside a sentence."""
    if value is None:
        return "nothing"
    if is_spelled(value):
        return value.text
    size = " × ".join(map(str, value.shape))
    if not value.nonfinite and (ends := extremes(value)) is not None:
        low, high = (spelled(end) for end in ends)
        return f"{size} numbers, all {low}" if low == high else f"{size} numbers from {low} to {high}"
    if value.nan:
        return f"{size} numbers, {value.nan} of them NaN"
    return f"{size} numbers{f', {value.nonfinite} of them infinite' if value.nonfinite else ''}"


def is_spelled(value: Value) -> bool:
    """Whether a sentence can hold every element: up to six in a vector, four in a matrix."""
    count = math.prod(value.shape)
    return not value.text.startswith(value.dtype) and count <= (VECTOR if len(value.shape) < 2 else MATRIX)


def extremes(value: Value) -> tuple[float, float] | None:
    """Smallest and largest element; None where the value does not tell."""
    if value.data and not value.nonfinite and not value.dtype.startswith("complex"):
        numbers: list[Any] = value.data  # only infinities, NaN and complex numbers are text
        return float(min(numbers)), float(max(numbers))
    if isinstance(value.low, float | int) and isinstance(value.high, float | int):
        return float(value.low), float(value.high)
    return None


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; after the fourth the rest is counted. Equal names are said once."""
    names = list(dict.fromkeys(names))
    if len(names) > MOST:
        return ", ".join(names[:MOST]) + f" and {len(names) - MOST} more"
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]


def times(count: int) -> str:
    """``twice``, ``three times``."""
    return "once" if count == 1 else "twice" if count == 2 else counted(count, "time")


def counted(count: int, thing: str) -> str:
    """``one path``, ``two paths``, ``12 paths``."""
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return f"{words[count] if count < len(words) else count} {thing}{'' if count == 1 else 's'}"
