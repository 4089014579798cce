"""What diagnosis asks of a trace."""

from __future__ import annotations

import ast
import functools
from collections import Counter

from engine.trace import events
from engine.trace.diagnosis.flow import Flow
from engine.trace.diagnosis.history.entries import ENTRIES
from engine.trace.diagnosis.history.tables import Tables
from engine.trace.document import Trace
from engine.trace.enclosing import around
from engine.trace.labels.label import Labels
from engine.trace.marks import code, grouped
from engine.trace.parts import Span, Value
from engine.trace.spans import within


class History(Tables):
    """Everything that diagnosis asks of a trace, by tensor and in order."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        for index, step in enumerate(trace.steps):
            enter = ENTRIES.get(type(step))
            if enter is not None:
                enter(self, index, step)
        self.fixes: dict[tuple[int, str, Span | None], str] = {}
        """What to write in place of each departure from the graph, once worked out: many tensors ask about the same one."""

    @functools.cached_property
    def tree(self) -> ast.Module:
        """The snippet's syntax tree; empty where no line ran, as after a syntax error."""
        return ast.parse(self.trace.code if self.lines else "")

    @functools.cached_property
    def nodes(self) -> list[ast.AST]:
        """The tree's nodes, breadth first: questions about the source are asked of every tensor."""
        return list(ast.walk(self.tree))

    @functools.cached_property
    def flow(self) -> Flow:
        """Where values go in the source."""
        return Flow(self.tree, self.source)

    @functools.cached_property
    def labels(self) -> Labels:
        """How the trace's tensors are told apart by their source."""
        return Labels(self.trace)

    @functools.cached_property
    def of_span(self) -> Counter[tuple[Span | None, int | None]]:
        """How many tensors each piece of source made, under (span, None); how many with names in each scope, under (span, scope)."""
        rows = self.trace.tensors
        counted = Counter[tuple[Span | None, int | None]]((row.span, None) for row in rows)
        counted.update((row.span, row.scope) for row in rows if row.names)
        return counted

    def is_given_by_its_text(self, tensor: int) -> bool:
        """Whether a named tensor is what its source gives (or one of several with names), and not made on the way there."""
        row = self.trace.tensors[tensor]
        alone = self.of_span[row.span, None] == 1
        return alone or self.of_span[row.span, row.scope] > 1 or tensor in self.labels.results

    def forward_around(self, scope: int) -> str | None:
        """The snippet's own ``torch.autograd.Function`` inside whose ``forward()`` a scope lies."""
        functions = {row.operator for row in self.trace.nodes if row.operator and row.name == f"{row.operator}Backward"}
        for place in around(self.trace, scope):
            function, _, method = self.trace.scopes[place].title.rpartition(".")
            if method == "forward()" and function in functions:
                return function
        return None

    @functools.cached_property
    def gradients_read(self) -> set[str]:
        """Names whose ``.grad`` the snippet mentions."""
        nodes = self.nodes
        return {ast.unparse(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr == "grad"}

    # ── questions about one tensor ───────────────────────────────────────────────────────────────────────────────────

    def label(self, tensor: int) -> str:
        """What to call it inside a sentence."""
        return code(self.trace.tensors[tensor].label)

    def outer_name(self, tensor: int) -> str | None:
        """The variable outside of all functions that means a tensor, where a function had another word for it first."""
        outside = [name for step, name in self.bound[tensor] if self._is_outside(self.trace.steps[step].scope)]
        return outside[-1] if outside and self.trace.tensors[tensor].label not in outside else None

    def _is_outside(self, scope: int) -> bool:
        """Whether a scope is the program's own, or a turn of a loop there."""
        rows = self.trace.scopes
        while rows[scope].kind == "loop_turn":
            scope = rows[scope].parent or 0
        return scope == 0

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

    def attribute_of_self(self, name: str) -> int | None:
        """The tensor that ``self.w`` means, where one object of the run has such an attribute: by what others call it."""
        owner, dot, attribute = name.partition(".")
        found = {path: tensor for path, tensor in self.attributes.items() if path.endswith(f".{attribute}")}
        return next(iter(found.values())) if owner == "self" and dot and len(found) == 1 else None

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
        for node in self.nodes:
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
            if not self._is_outside(bound.scope) or bound.span is None or made is None or bound.span.line == made.line:
                continue
            for node in self.nodes:
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
        alone = (node for node in self.nodes if isinstance(node, ast.Expr))
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

    def value(self, tensor: int, step: int) -> Value | None:
        """What it holds at a step: what it was made with, or what was written into it last."""
        held, since = self.trace.tensors[tensor].value, -1
        for index, write in self.written[tensor]:
            if index <= step:
                held, since = (
                    dict(zip(write.shared_with, write.shared_values, strict=False)).get(tensor, write.value),
                    index,
                )
        for index, update in self.steps:
            if since < index <= step:
                held = next((change.after for change in update.changes if change.tensor == tensor), held)
        return held

    def grad(self, tensor: int, step: int) -> Value | None:
        """Its ``.grad`` at a step."""
        filled = [(index, event.new) for index, event in self.stored[tensor] if index <= step]
        filled += [(index, event.value) for index, event in self.set[tensor] if index <= step]
        filled += [(index, event.value) for index, event in self.rewritten[tensor] if index <= step]
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
