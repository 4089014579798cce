"""A trace laid out for looking things up: what stands on a line, what is called by a name, what a value was."""

from __future__ import annotations

import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator

from engine.trace import events
from engine.trace.document import Trace
from engine.trace.elements import largest
from engine.trace.marks import bare, code
from engine.trace.narration.amounts import shown
from engine.trace.parts import Value
from engine.trace.spans import Source


def squeezed(text: str) -> str:
    """Without white space and kinds of quotes, so that code can be found however it is broken into lines."""
    return re.sub(r"\s+", "", text).replace('"', "'").replace(",)", ")").replace(",]", "]")


class Record:
    """Everything that claims of reasons are held against."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.source = Source(trace.code)
        self.whole = squeezed(trace.code)
        self.last = len(trace.steps) - 1
        self.called: dict[str, list[int]] = defaultdict(list)
        """Tensors by label and by every name they had."""
        self.nodes: dict[str, list[int]] = defaultdict(list)
        """Nodes by name."""
        self.on_line: dict[int, list[int]] = defaultdict(list)
        """Steps by the lines that their columns cover."""
        self.stored: dict[int, list[tuple[int, events.GradientStored]]] = defaultdict(list)
        self.updates: list[tuple[int, events.OptimizerStepped]] = []
        self.values: dict[int, list[tuple[int, Value]]] = defaultdict(list)
        """What each tensor held, from which step on."""
        for index, row in enumerate(trace.tensors):
            for name in {row.label, bare(code(row.label)), *row.names}:
                self.called[name].append(index)
            if row.value is not None:
                self.values[index].append((row.step, row.value))
        for index, node in enumerate(trace.nodes):
            self.nodes[node.name].append(index)
        for index, step in enumerate(trace.steps):
            self._enter(index, step)

    def _enter(self, index: int, step: events.Step) -> None:
        if step.span is not None:
            for line in range(step.span.line, step.span.end_line + 1):
                self.on_line[line].append(index)
        match step:
            case events.NameBound(name=name, tensor=tensor):
                self.called[name].append(tensor)
            case events.TensorMade(tensor=tensor, value=value):
                self.values[tensor].append((index, value))
            case events.ValueWritten(tensor=tensor, value=value):
                self.values[tensor].append((index, value))
                for other, theirs in zip(step.shared_with, step.shared_values, strict=False):
                    self.values[other].append((index, theirs))
            case events.GradientStored(tensor=tensor):
                self.stored[tensor].append((index, step))
            case events.OptimizerStepped(changes=changes):
                self.updates.append((index, step))
                for change in changes:
                    self.values[change.tensor] += [(index, change.before), (index, change.after)]
            case events.StepsLeftOut(standings=standings):
                for standing in standings:
                    self.values[standing.tensor].append((index, standing.value))
            case _:
                pass

    # ── the source ───────────────────────────────────────────────────────────────────────────────────────────────────

    @functools.cache  # noqa: B019 (a record lives as long as one check)
    def begins_on(self, text: str, line: int) -> bool:
        """Whether source text (``…`` for what was left out) begins on a line."""
        if not 1 <= line <= len(self.source.lines):
            return False
        own = squeezed(self.source.lines[line - 1])
        after = own + squeezed("".join(self.source.lines[line : line + 40]))
        pattern = ".*?".join(re.escape(squeezed(part)) for part in text.split("…"))
        return any(found.start() < max(1, len(own)) for found in re.finditer(pattern, after))

    def steps_on(self, line: int) -> Iterator[events.Step]:
        """The steps whose columns cover a line."""
        return (self.trace.steps[index] for index in self.on_line[line])

    def reached(self, line: int) -> bool:
        """Whether a statement that begins on a line was run."""
        return any(
            isinstance(step, events.Line) and step.span is not None and step.span.line == line
            for step in self.steps_on(line)
        )

    def placed(self, text: str, line: int) -> bool:
        """Whether source text, a tensor's label or a node stands on a line or was made there."""
        if self.begins_on(text, line):
            return True
        rows = [self.trace.tensors[index] for index in self.tensors(text)]
        bound = (isinstance(step, events.NameBound) and step.name in (text, bare(text)) for step in self.steps_on(line))
        made = any(row.span is not None and row.span.line <= line <= row.span.end_line for row in rows)
        calls = (row for row in self.trace.scopes if row.span is not None and row.span.line == line)
        if any(row.title.partition(" (")[0] == text for row in calls):
            return True
        nodes = (self.trace.nodes[index] for index in self.nodes[text])
        return made or any(bound) or any(node.span is not None and node.span.line == line for node in nodes)

    # ── tensors ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def tensors(self, text: str) -> list[int]:
        """Those that a piece of a sentence may mean."""
        return self.called.get(text) or self.called.get(bare(text), [])

    @functools.cache  # noqa: B019 (the same)
    def held(self, tensor: int) -> set[str]:
        """Every value that it had, as sentences spell it."""
        return {shown(value) for _, value in self.values[tensor]}

    @functools.cache  # noqa: B019 (the same)
    def sizes(self) -> set[float]:
        """The largest element of every gradient that a node got or a leaf was left with, and of every change of a leaf."""
        found: set[float] = set()
        for step in self.trace.steps:
            match step:
                case events.NodeRan(gradients=gradients):
                    found |= {largest(value) for value in gradients}
                case events.GradientStored(new=new, incoming=incoming):
                    found |= {largest(new), largest(incoming)}
                case events.GradientReturned(value=value):
                    found.add(largest(value))
                case _:
                    pass
        for held in self.values.values():
            for (_, before), (_, after) in itertools.pairwise(held):
                if before.data is not None and after.data is not None and before.shape == after.shape:
                    moved = (complex(b) - complex(a) for a, b in zip(before.data, after.data, strict=True))
                    found.add(max(map(abs, moved), default=0.0))
        return found

    @functools.cache  # noqa: B019 (the same)
    def gradients(self, tensor: int) -> set[str]:
        """Every gradient that came to it or lay in it, as sentences spell it."""
        found = {shown(value) for _, step in self.stored[tensor] for value in (step.old, step.incoming, step.new)}
        for step in self.trace.steps:
            if isinstance(step, events.GradientSet) and step.tensor == tensor:
                found |= {shown(step.value), shown(step.old)}
            elif isinstance(step, events.StepsLeftOut):
                found |= {shown(standing.gradient) for standing in step.standings if standing.tensor == tensor}
        own = (index for index, row in enumerate(self.trace.tensors) if row.gradient_of == tensor)
        return found.union(*(self.held(index) for index in own))
