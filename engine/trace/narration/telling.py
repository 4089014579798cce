"""What every narrator uses: a trace's names and source as words, and sentences that carry their claims."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.trace import events
from engine.trace.document import Trace
from engine.trace.events import Event, Step
from engine.trace.labels.label import UNBIND, Labels
from engine.trace.labels.shortening import shortened
from engine.trace.marks import code, grouped, marked
from engine.trace.narration.amounts import listed, shown
from engine.trace.narration.names import Names, own
from engine.trace.parts import Claim, Formula, Span, Value
from engine.trace.spans import Source
from engine.trace.state import State

LONGEST = 48
"""Characters of source text inside a sentence."""


class Filled(NamedTuple):
    """A derivative with numbers in."""

    formula: Formula | None = None
    """None where a number is too large to be read, and where the formula is no arithmetic."""
    contradicts: bool = False
    """Whether the numbers do not give the result: the derivative's text does not hold at this point."""
    smooth: bool = True
    """Whether it is the derivative where the function is smooth, and not what is sent at a kink."""


class Telling:
    """The words of one step. The first sentence is its text, the rest its detail."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.claims: list[Claim] = []
        self.formula: Formula | None = None

    def say(self, sentence: str, claim: Claim, *more: Claim) -> None:
        """Adds a sentence with what it asserts. There is no sentence without a claim."""
        self._add(begun(marked(sentence)), claim, *more)

    def quote(self, sentence: str, claim: Claim) -> None:
        """Adds a sentence with words of the snippet's own, which stay as they are."""
        self._add(sentence, claim)

    def _add(self, sentence: str, claim: Claim, *more: Claim) -> None:
        place = len(self.sentences)
        self.sentences.append(sentence)
        for says in (claim, *more):
            asserted = Claim(says.says, says.tensor, says.node, says.number, says.text, place) if place else says
            if asserted not in self.claims:
                self.claims.append(asserted)

    def put(self, event: Event) -> None:
        """Writes the words into the step."""
        if self.sentences:
            event.text = self.sentences[0]
            event.detail = tuple(self.sentences[1:])
        event.claims = tuple(self.claims)
        event.formula = self.formula


class Reader:
    """A trace as a narrator sees it at one step: its tables, its source, and what is true now."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.source = Source(trace.code)
        self.state = State(trace)
        self.names = Names(trace, self.state)
        self.derivatives: dict[tuple[int, int], Formula | None] = {}
        """Each edge's derivative with names in, by (node, slot)."""
        self.filled: tuple[tuple[int, bool], Filled] | None = None
        """The derivative with numbers in that was asked for last, by step and whether it was summed."""
        self.functions = {row.operator for row in trace.nodes if row.operator and row.name == f"{row.operator}Backward"}
        """The person's own functions."""
        self.accumulated: set[int] = set()
        """The leaves that have had an AccumulateGrad."""
        self.explained: set[str] = set()
        """The optimizers whose ways have been told."""
        self.rates: dict[tuple[int, ...], float] = {}
        """The learning rate at the last update of each set of parameters."""
        self.set_by: dict[int, events.ScheduleStepped] = {}
        """For each parameter: the schedule's step that changed its learning rate last."""
        self.mapped: dict[int, int] = {}
        """The tensors that the last vmap takes slices of, with the dimension."""
        self.clip: events.GradientsClipped | None = None
        """The last call that clipped gradients …"""
        self.unclipped: dict[int, Value | None] = {}
        """… and what they were before, by whose they are."""
        self.told_overwrite = 0
        """The last pass in which it was told that a write makes two tensors of one name."""
        self.spoke: tuple[int, int] | None = None
        """(pass, node) whose operator's own words were told last beside a message."""
        self._texts: dict[Span, str] = {}
        self._last_of_span = {(row.span, row.scope): index for index, row in enumerate(trace.tensors)}
        self._named_of_span = Counter((row.span, row.scope) for row in trace.tensors if row.names)
        self._scopes_of_span = Counter(span for span, _ in self._last_of_span)

    def advance(self, step: Step) -> None:
        """Goes on to the next step."""
        self.state.advance(step)
        self.names.hear(step)

    # ── names ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def symbol(self, tensor: int) -> str:
        """What to call a tensor inside a formula."""
        return self.trace.tensors[tensor].label

    def symbol_now(self, tensor: int) -> str:
        """The same for what a derivative is taken by: in a loop ``h of turn 2``, where `h` means another tensor by now."""
        label, symbol = self.label(tensor), self.symbol(tensor)
        if label == code(symbol):
            return symbol
        itself = symbol if label.startswith("the earlier") else grouped(symbol)  # "(a + b) of turn 1"
        return label.replace(code(symbol), itself).removeprefix("the ").replace("`", "")

    def label(self, tensor: int) -> str:
        """What to call a tensor inside a sentence."""
        return self.names.label(tensor)

    def is_left_behind(self, tensor: int) -> bool:
        """Whether every name that a leaf had means another tensor by now, as in a loop that makes one in each turn."""
        row = self.trace.tensors[tensor]
        return row.role == "leaf" and self.names.was_bound(tensor) and tensor not in self.state.names.values()

    def gradient(self, tensor: int) -> str:
        """What to call a tensor's ``.grad``."""
        return self.names.gradient(tensor)

    def node(self, node: int) -> str:
        """What to call a node."""
        row = self.trace.nodes[node]
        return code(row.name) if row.leaf is None else own(self.label(row.leaf), "AccumulateGrad")

    def of_line(self, node: int) -> str:
        """A node with the line that recorded it: ``MulBackward0 of line 4``."""
        span = self.trace.nodes[node].span
        return f"{self.node(node)} of line {span.line}" if span is not None else self.node(node)

    def text(self, span: Span | None) -> str:
        """The source inside a span, marked as code and cut to what fits a sentence."""
        if span is None:
            return ""
        text = self._texts.get(span)
        if text is None:
            text = self._texts[span] = code(shortened(self.source.text(span), LONGEST))
        return text

    def operation(self, node: int) -> str:
        """The source text of the operation that made a node; its part in that text where it is one of several."""
        row = self.trace.nodes[node]
        output = self.trace.tensors[row.outputs[0]] if row.outputs else None
        if output is not None and (not output.names or self.in_pass(row.scope)):
            return code(output.label)
        if output is not None and not self.is_given_by_its_text(row.outputs[0]):
            return code(self.labels.made_as(row.outputs[0]))
        return self.text(row.span) or row.operator

    def made_as(self, tensor: int) -> str:
        """What a tensor is when it is made, before it has a name: its source, or what it is inside of a call there."""
        row = self.trace.tensors[tensor]
        made = self.trace.steps[row.step]
        if isinstance(made, events.TensorMade) and made.operator == UNBIND and (element := self.labels.element(tensor)):
            return code(element)
        if not row.names or self.in_pass(row.scope) or self._named_of_span[row.span, row.scope] > 1:
            return self.label(tensor)
        if self.is_given_by_its_text(tensor):
            return self.text(row.span) or self.label(tensor)
        return code(self.labels.made_as(tensor))

    def called_by_now(self, tensor: int) -> str:
        """Its label, or what it is made as while no name is bound to it yet: it may be written to on the way to its name."""
        row = self.trace.tensors[tensor]
        made = self.trace.steps[row.step]
        is_result = isinstance(made, events.TensorMade) and made.how == "result"
        to_come = row.names[:1] == [row.label] and row.label.isidentifier() and not self.names.was_bound(tensor)
        return self.made_as(tensor) if to_come and is_result else self.label(tensor)

    def is_given_by_its_text(self, tensor: int) -> bool:
        """Whether a named tensor is what its piece of source gives, and not made on the way there."""
        row = self.trace.tensors[tensor]
        place = (row.span, row.scope)
        alone = self._last_of_span.get(place) == tensor and self._scopes_of_span[row.span] < 2
        return row.span is None or self._named_of_span[place] > 1 or alone or tensor in self.labels.results

    @functools.cached_property
    def labels(self) -> Labels:
        """How the trace's tensors are told apart by their source; worked out for the few that their own text does not tell."""
        return Labels(self.trace)

    def in_pass(self, scope: int) -> bool:
        """Whether a scope is a backward pass: what is computed there stands nowhere in the source."""
        return self.trace.scopes[scope].kind == "backward"

    def function_around(self, scope: int) -> str | None:
        """The person's own ``torch.autograd.Function`` inside whose forward a scope lies; None elsewhere."""
        title = self.trace.scopes[self.state.holder(scope)].title
        own, _, method = title.rpartition(".")
        return own if method in ("forward()", "setup_context()") and own in self.functions else None

    def is_arrived(self, tensor: int) -> bool:
        """Whether a tensor holds what the node that runs now was given."""
        ran = next(reversed(self.state.ran.values()), None)
        return ran is not None and self.state.value(tensor) in ran.gradients

    def has_arrived(self) -> bool:
        """Whether the node that runs now was given a gradient at all."""
        ran = next(reversed(self.state.ran.values()), None)
        return ran is not None and any(value is not None for value in ran.gradients)

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
        """What the running pass differentiates: its root's name.

        L stands for what several roots belong to, and for what is behind a gradient that is not just 1: then that gradient
        is ∂L/∂root, and the root's own derivatives are not what arrives.
        """
        started = self.trace.steps[self.state.started[self.state.call]]
        roots: Sequence[int] = getattr(started, "roots", [])
        seeds: Sequence[Value] = getattr(started, "seeds", [])
        return self.symbol(roots[0]) if len(roots) == 1 and all(map(is_one, seeds)) else "L"


def is_one(seed: Value) -> bool:
    """Whether a pass starts from a single number with 1, as it does by itself."""
    return seed.data == [1]


def begun(sentence: str) -> str:
    """The sentence with a capital letter, unless it begins with code."""
    return sentence if not sentence[:1].islower() else sentence[0].upper() + sentence[1:]


def first_line(message: str, longest: int) -> str:
    """The first line of an error's message, without the comma or colon that leads on to the next."""
    return cut(message.strip().split("\n")[0].rstrip(" ,:"), longest)


def cut(text: str, longest: int = LONGEST) -> str:
    """The text, shortened with an ellipsis."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
