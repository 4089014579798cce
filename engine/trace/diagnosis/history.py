"""A trace turned over once: for each tensor what made it, who used it, and what became of its gradient."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from dataclasses import dataclass, field

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.flow import Flow, within
from engine.trace.document import Trace
from engine.trace.marks import code, grouped
from engine.trace.parts import Span, Value
from engine.trace.spans import Source
from engine.trace.state import is_zero


@dataclass(slots=True)
class Pass:
    """One backward pass."""

    call: int
    start: int
    function: str
    roots: list[int]
    inputs: list[int] | None
    end: int
    reached: set[int] = field(default_factory=set)
    nodes: set[int] = field(default_factory=set)
    recorded: bool = False
    """Whether the pass itself is recorded (``create_graph=True``)."""
    freed: bool = False
    raised: bool = True
    """Until its end is seen to be regular."""


class History:
    """Everything that diagnosis asks of a trace, by tensor and in order."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.source = Source(trace.code)
        self.made: dict[int, int] = {}
        """Step at which each tensor was made."""
        self.event: dict[int, events.TensorMade] = {}
        self.inputs: dict[int, list[int]] = defaultdict(list)
        self.users: dict[int, list[int]] = defaultdict(list)
        """Tensors computed from a tensor, recorded or not."""
        self.left_with: dict[int, int] = {}
        """For an untracked result: the step at which it left the graph."""
        self.left_from: dict[int, list[int]] = defaultdict(list)
        """For a source: the steps at which something left the graph from it."""
        self.bound: dict[int, list[tuple[int, str]]] = defaultdict(list)
        """(step, name) of every binding of a tensor."""
        self.replaced: dict[int, int] = {}
        """For a tensor that took over a name: the tensor that the name meant before."""
        self.replaced_at: dict[int, tuple[int, str]] = {}
        """For such a tensor: the step at which it took over the name, and the name."""
        self.passes: list[Pass] = []
        self.stored: dict[int, list[tuple[int, events.GradientStored]]] = defaultdict(list)
        self.zeroed: dict[int, list[int]] = defaultdict(list)
        """Steps at which each tensor's gradient was cleared."""
        self.set: dict[int, list[tuple[int, events.GradientSet]]] = defaultdict(list)
        """Gradients that the snippet put there itself."""
        self.to_zeros: set[int] = set()
        """Those of these steps that left zeros instead of None."""
        self.written: dict[int, list[tuple[int, events.ValueWritten]]] = defaultdict(list)
        self.steps: list[tuple[int, events.OptimizerStepped]] = []
        self.retained: dict[int, int] = {}
        self.switched: dict[int, list[tuple[int, bool]]] = defaultdict(list)
        self.none_sent: list[tuple[int, events.MessageSent]] = []
        """Messages without a gradient."""
        self.stopped: list[tuple[int, events.MessageSent]] = []
        """Messages of zeros only, made from a gradient that was not zero."""
        self.bad_messages: list[tuple[int, int, Answer]] = []
        """(pass, receiving tensor, answer) for each message that made NaN or infinity out of finite numbers."""
        self._ran: events.NodeRan | None = None
        self._attributes: dict[str, int] = {}
        """What each attribute, item of a list or entry of a dict was bound to last, in any function."""
        self.saved_at: dict[tuple[int, str], int] = {}
        self.lines: set[tuple[int, int]] = set()
        """(line, column) where each statement that was reached begins."""
        self.last = len(trace.steps) - 1
        for index, step in enumerate(trace.steps):
            self._hear(index, step)

    def _hear(self, index: int, step: events.Step) -> None:
        match step:
            case events.Line(span=Span(line=line, column=column)):
                self.lines.add((line, column))
            case events.TensorMade(tensor=tensor, inputs=inputs):
                self.made.setdefault(tensor, index)
                self.event[tensor] = step
                for source in inputs:
                    self._link(source, tensor)
            case events.GraphLeft(source=source, result=result):
                self.left_from[source].append(index)
                if result is not None:
                    self.left_with[result] = index
                    self.made.setdefault(result, index)
                    self._link(source, result)
            case events.NameBound(name=name, tensor=tensor, previous=previous):
                self.bound[tensor].append((index, name))
                path = "." in name or "[" in name
                if previous is None and path:
                    previous = self._attributes.get(name)  # set in another function than the one before
                if previous is not None and previous != tensor:
                    self.replaced.setdefault(tensor, previous)
                    self.replaced_at.setdefault(tensor, (index, name))
                if path:
                    self._attributes[name] = tensor
            case events.TensorSaved(node=node, name=name):
                self.saved_at[node, name] = index
            case events.BackwardStarted():
                self.passes.append(
                    Pass(
                        step.call,
                        index,
                        step.function,
                        step.roots,
                        step.inputs,
                        len(self.trace.steps) - 1,
                        recorded=step.create_graph,
                    )
                )
            case events.NodeRan(node=node):
                self.passes[-1].nodes.add(node)
                self._ran = step
            case events.MessageSent(value=None):
                self.none_sent.append((index, step))
            case events.MessageSent(value=Value() as value) if self._ran is not None and is_zero(value):
                if any(came is not None and not is_zero(came) for came in self._ran.gradients):
                    self.stopped.append((index, step))
            case events.GradientStored(tensor=tensor):
                self.stored[tensor].append((index, step))
                if self.passes:
                    self.passes[-1].reached.add(tensor)
            case events.BackwardEnded(reached=reached, freed=freed):
                if self.passes:
                    task = self.passes[-1]
                    task.end, task.freed = index, freed
                    task.reached.update(reached)
                    failed = self.trace.outcome.status == "error" and index >= len(self.trace.steps) - 2
                    task.raised = failed and not reached
            case events.GradientsZeroed(tensors=tensors, to_none=to_none):
                for tensor in tensors:
                    self.zeroed[tensor].append(index)
                if not to_none:
                    self.to_zeros.add(index)
            case events.GradientSet(tensor=tensor):
                self.set[tensor].append((index, step))
            case events.ValueWritten(tensor=tensor):
                owner = self.trace.tensors[tensor].gradient_of
                if owner is not None and is_zero(step.value):
                    self.zeroed[owner].append(index)
                    self.to_zeros.add(index)
                for changed in (tensor, *step.shared_with):
                    self.written[changed].append((index, step))
            case events.OptimizerStepped():
                self.steps.append((index, step))
            case events.RetainAsked(tensor=tensor):
                self.retained.setdefault(tensor, index)
            case events.RequiresGradChanged(tensor=tensor, requires_grad=requires_grad):
                self.switched[tensor].append((index, requires_grad))
            case _:
                pass

    def _link(self, source: int, result: int) -> None:
        if source not in self.inputs[result]:
            self.inputs[result].append(source)
            self.users[source].append(result)

    @functools.cached_property
    def tree(self) -> ast.Module:
        """The snippet's syntax tree; empty where no line ran, as after a syntax error."""
        return ast.parse(self.trace.code if self.lines else "")

    @functools.cached_property
    def flow(self) -> Flow:
        """Where values go in the source."""
        return Flow(self.tree, self.source)

    @functools.cached_property
    def gradients_read(self) -> set[str]:
        """Names whose ``.grad`` the snippet mentions."""
        nodes = ast.walk(self.tree)
        return {ast.unparse(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr == "grad"}

    # ── questions about one tensor ───────────────────────────────────────────────────────────────────────────────────

    def label(self, tensor: int) -> str:
        """What to call it inside a sentence."""
        return code(self.trace.tensors[tensor].label)

    def named(self, name: str) -> int | None:
        """The tensor that a name was bound to last."""
        latest: tuple[int, int] | None = None
        for tensor, bindings in self.bound.items():
            for step, bound in bindings:
                if bound == name and (latest is None or step > latest[0]):
                    latest = (step, tensor)
        if latest is not None:
            return latest[1]
        return next((index for index, row in enumerate(self.trace.tensors) if name in row.names), None)

    def expression(self, tensor: int) -> str | None:
        """Source text that means it and can have ``.name`` put behind it; None where the source has no word for it."""
        text = grouped(self.trace.tensors[tensor].label)
        try:
            ast.parse(text, mode="eval")
        except SyntaxError:
            return None
        return text

    def text(self, span: Span | None) -> str:
        """The source inside a span."""
        return "" if span is None else self.source.text(span)

    def statement(self, span: Span | None) -> Span | None:
        """The simple statement on one line around a span: ``a[0] = 0`` for ``a[0]``."""
        if span is None:
            return None
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
                whole = self.source.span(node)
                if whole.line == span.line == whole.end_line and whole.column <= span.column < whole.end_column:
                    return whole
        return None

    def given_name(self, tensor: int) -> tuple[int, Span] | None:
        """(step, source of the value) where the snippet itself names what one of its functions returned: ``out = net(x)``.

        None where the function had named it so already.
        """
        made = self.trace.tensors[tensor].span
        for step, name in reversed(self.bound[tensor]):
            if [other for _, other in self.bound[tensor]].count(name) > 1:
                continue
            bound = self.trace.steps[step]
            around = bound.scope
            while self.trace.scopes[around].kind == "loop_turn":
                around = self.trace.scopes[around].parent or 0
            if around or bound.span is None or made is None or bound.span.line == made.line:
                continue
            for node in ast.walk(self.tree):
                if not isinstance(node, ast.Assign | ast.NamedExpr):
                    continue
                called = any(isinstance(part, ast.Call) for part in ast.walk(node.value))
                if called and within(bound.span, self.source.span(node)):
                    return step, self.source.span(node.value)
        return None

    def statement_of(self, tensor: int) -> Span | None:
        """For a result that nothing is done with: the statement that only computes it (``y + b``)."""
        span = self.trace.tensors[tensor].span
        unused = tensor in self.event and not self.bound[tensor] and not self.users[tensor]
        alone = (node for node in ast.walk(self.tree) if isinstance(node, ast.Expr))
        return span if unused and any(self.source.span(node.value) == span for node in alone) else None

    def quoted(self, span: Span | None) -> str:
        """The source inside a span, marked as code in a sentence."""
        return code(self.text(span))

    def line_of(self, step: int | None) -> str:
        """``line 5``, for a sentence."""
        span = self.trace.steps[step].span if step is not None else None
        return "an earlier line" if span is None else f"line {span.line}"

    def tracked(self, tensor: int, step: int) -> bool:
        """Whether it requires grad at a step."""
        event = self.event.get(tensor)
        now = event.requires_grad if event is not None else self.trace.tensors[tensor].grad_fn is not None
        for index, requires_grad in self.switched[tensor]:
            if index <= step:
                now = requires_grad
        for index, write in self.written[tensor]:
            if index <= step and write.node is not None:
                now = True
        at = self.left_with.get(tensor, step + 1)
        left = self.trace.steps[at] if at <= step else None
        return now and not (isinstance(left, events.GraphLeft) and left.source == tensor)

    def is_leaf(self, tensor: int, step: int) -> bool:
        """Whether no recorded operation stands behind it at a step."""
        if any(index <= step and write.node is not None for index, write in self.written[tensor]):
            return False
        return self.trace.tensors[tensor].grad_fn is None or tensor in self.left_with

    def grad(self, tensor: int, step: int) -> Value | None:
        """Its ``.grad`` at a step."""
        filled = [(index, event.new) for index, event in self.stored[tensor] if index <= step]
        filled += [(index, event.value) for index, event in self.set[tensor] if index <= step]
        cleared = [index for index in self.zeroed[tensor] if index <= step]
        last = max(filled, key=lambda entry: entry[0], default=None)
        if last is None or (cleared and cleared[-1] > last[0]):
            return None
        return last[1]

    def ancestors(self, tensor: int) -> list[int]:
        """Everything it was computed from, nearest first, itself included."""
        return self._walk(tensor, self.inputs)

    def descendants(self, tensor: int) -> list[int]:
        """Everything computed from it, nearest first, itself included."""
        return self._walk(tensor, self.users)

    def recorded_descendants(self, tensor: int) -> list[int]:
        """What the graph connects with it: descendants up to where values left the graph."""
        found, seen, place = [tensor], {tensor}, 0
        while place < len(found):
            for user in self.users[found[place]]:
                row = self.trace.tensors[user]
                left = self.trace.steps[self.left_with[user]] if user in self.left_with else None
                in_place = isinstance(left, events.GraphLeft) and left.source == user
                if user not in seen and (left is None or in_place) and (row.grad_fn is not None or in_place):
                    seen.add(user)
                    found.append(user)
            place += 1
        return found

    @staticmethod
    def _walk(tensor: int, links: dict[int, list[int]]) -> list[int]:
        found, seen, place = [tensor], {tensor}, 0
        while place < len(found):
            for other in links.get(found[place], ()):
                if other not in seen:
                    seen.add(other)
                    found.append(other)
            place += 1
        return found

    def number_taken(self, tensor: int) -> int | None:
        """For a tensor made from data: the step at which these very numbers were read out of a tracked tensor."""
        event = self.event.get(tensor)
        if event is None or event.how != "created" or event.operator == "deepcopy" or event.value.data is None:
            return None
        for index in range(self.made[tensor] - 1, -1, -1):
            step = self.trace.steps[index]
            if isinstance(step, events.GraphLeft) and step.result is None:
                source = self.event.get(step.source)
                same = source is not None and source.value.data == event.value.data
                if same or (step.span and event.span and step.span.line == event.span.line):
                    return index
        return None
