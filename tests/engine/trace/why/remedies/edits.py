"""Changes of a program's text by statements and columns."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.trace.document import Reason, Trace
from engine.trace.parts import Span
from engine.trace.spans import Source


@dataclass(frozen=True)
class Broken:
    """A broken program, its trace, and what the trace says about it."""

    trace: Trace
    reason: Reason

    @property
    def code(self) -> str:
        """The program."""
        return self.trace.code

    @property
    def assigned(self) -> Span | None:
        """The columns of what is assigned where it went wrong, if that is an assignment."""
        node = self.statement(self.span)
        return self.source.span(node.value) if isinstance(node, ast.Assign) else None

    @functools.cached_property
    def lines(self) -> list[str]:
        """Its lines, without their ends."""
        return self.code.split("\n")

    @functools.cached_property
    def source(self) -> Source:
        """For reading columns."""
        return Source(self.code)

    @functools.cached_property
    def tree(self) -> ast.Module:
        """Its syntax."""
        return ast.parse(self.code)

    # ── looking ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def span(self) -> Span:
        """The guilty columns."""
        assert self.reason.span is not None
        return self.reason.span

    @property
    def failed(self) -> Span:
        """Where the run's error was raised."""
        assert self.trace.outcome.span is not None
        return self.trace.outcome.span

    def text(self, span: Span) -> str:
        """The source in some columns."""
        return self.source.text(span)

    def statement(self, span: Span) -> ast.stmt:
        """The simple statement around some columns."""
        for node in self.simple:
            own = self.source.span(node)
            if (own.line, own.column) <= (span.line, span.column) < (own.end_line, own.end_column):
                return node
        return self.on_line(min(node.lineno for node in self.simple if node.lineno >= span.line))

    @functools.cached_property
    def simple(self) -> list[ast.stmt]:
        """The statements that hold no others, in order."""
        found = [n for n in ast.walk(self.tree) if isinstance(n, ast.stmt) and not hasattr(n, "body")]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def having(self, pattern: str) -> list[ast.stmt]:
        """The simple statements in whose source a pattern is found, in order."""
        return [node for node in self.simple if re.search(pattern, self.words(node))]

    def words(self, node: ast.AST) -> str:
        """A node's source."""
        return ast.get_source_segment(self.code, node) or ""

    def on_line(self, line: int) -> ast.stmt:
        """The first simple statement that begins on a line."""
        return next(node for node in self.simple if node.lineno == line)

    def loops(self, line: int) -> list[ast.For | ast.While]:
        """The loops around a line, the innermost last."""
        loops = [n for n in ast.walk(self.tree) if isinstance(n, ast.For | ast.While)]
        around = [n for n in loops if n.body[0].lineno <= line <= (n.end_lineno or n.lineno)]
        return sorted(around, key=lambda node: node.lineno)

    def functions(self, line: int) -> list[ast.FunctionDef]:
        """The functions around a line, the innermost last."""
        found = [n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef)]
        around = [n for n in found if n.body[0].lineno <= line <= (n.end_lineno or n.lineno)]
        return sorted(around, key=lambda node: node.lineno)

    def next_loop(self, node: ast.stmt) -> ast.For | ast.While:
        """The first loop behind a statement."""
        loops = [n for n in ast.walk(self.tree) if isinstance(n, ast.For | ast.While) and n.lineno > node.lineno]
        return min(loops, key=lambda loop: loop.lineno)

    def alone_in(self, node: ast.stmt) -> ast.stmt:
        """The outermost block that holds nothing but a statement; else the statement."""
        for block in ast.walk(self.tree):
            if isinstance(block, ast.With | ast.For) and block.body == [node]:
                return self.alone_in(block)
        return node

    def knows(self, node: ast.stmt, text: str) -> bool:
        """Whether every variable in some code is bound where a statement stands."""
        used = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        inner = {
            id(n)
            for f in ast.walk(self.tree)
            if isinstance(f, ast.FunctionDef | ast.Lambda)
            for n in ast.walk(f)
            if n is not f
        }
        comprehensions = {
            id(n) for c in ast.walk(self.tree) if isinstance(c, ast.comprehension) for n in ast.walk(c.target)
        }
        bound = {"torch", "nn", "F"}
        functions = self.functions(node.lineno)
        since = functions[0].lineno if functions else node.lineno
        for place in (self.tree, *functions):
            hidden = inner if place is self.tree else set()
            for n in ast.walk(place):
                if place is self.tree and getattr(n, "lineno", 0) > since:
                    continue
                if isinstance(n, ast.arg) and place is not self.tree:
                    bound.add(n.arg)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in (comprehensions | hidden):
                    bound.add(n.id)
                if isinstance(n, ast.FunctionDef | ast.ClassDef):
                    bound.add(n.name)
        return used <= bound

    # ── changing ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def instead(self, span: Span, text: str) -> str:
        """The program with other text in some columns."""
        head, tail = self.lines[span.line - 1][: span.column], self.lines[span.end_line - 1][span.end_column :]
        return "\n".join([*self.lines[: span.line - 1], head + text + tail, *self.lines[span.end_line :]])

    def replaced(self, node: ast.stmt, *texts: str) -> str:
        """With other statements in place of one; none takes it out."""
        return self.edited({id(node): ("instead", texts)})

    def before(self, node: ast.stmt, *texts: str) -> str:
        """With statements in front of one."""
        return self.edited({id(node): ("before", texts)})

    def after(self, node: ast.stmt, *texts: str) -> str:
        """With statements behind one."""
        return self.edited({id(node): ("after", texts)})

    def moved(self, node: ast.stmt, place: str, other: ast.stmt) -> str:
        """With a statement taken out and put ``before`` or ``after`` another."""
        return self.edited({id(node): ("instead", ()), id(other): (place, (self.words(node),))})

    def edited(self, changes: Mapping[int, tuple[str, tuple[str, ...]]]) -> str:
        """With several statements changed at once, each by what is done and the new texts."""
        found = list(self.lines)
        for node in sorted(ast.walk(self.tree), key=lambda node: -getattr(node, "lineno", 0)):
            if id(node) not in changes or not isinstance(node, ast.stmt):
                continue
            how, texts = changes[id(node)]
            if how == "instead" and not texts and self.emptied(node):
                texts = ("pass",)
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            margin = re.match(r"\s*", found[first])
            assert margin is not None
            if hasattr(node, "body") and how == "instead":
                new = [margin[0] + text for text in texts]
            elif hasattr(node, "body") and how == "before":
                new = [*(margin[0] + text for text in texts), *found[first:last]]
            elif hasattr(node, "body") and how == "after":
                new = [*found[first:last], *(margin[0] + text for text in texts)]
            else:
                new = self._line(found[first:last], node, how, texts, margin[0])
            found[first:last] = new
        return "\n".join(found)

    def _line(self, old: list[str], node: ast.stmt, how: str, texts: tuple[str, ...], margin: str) -> list[str]:
        """The lines of one statement after the change; others may share its line (``a; b``, ``for …: a``)."""
        start = self.source.span(node)
        head, tail = old[0][: start.column], old[-1][start.end_column :]
        alone = not head.strip() and not tail.split("#")[0].strip(" ;")
        put = {"instead": list(texts), "before": [*texts, ""], "after": ["", *texts]}[how]
        if alone:
            return [line for text in put for line in (old if text == "" else [margin + text])]
        own = "\n".join(old)[start.column :].removesuffix(tail)
        if head.rstrip().endswith(":") and not tail.strip():
            inner = f"{margin}    "
            return [head.rstrip(), *(inner + (own if text == "" else text) for text in put or ["pass"])]
        return [head + "; ".join([own if text == "" else text for text in put] or ["pass"]) + tail]

    def emptied(self, node: ast.stmt) -> bool:
        """Whether a block would be left with nothing in it were a statement taken out."""
        return any(
            node in body and len(body) == 1
            for block in ast.walk(self.tree)
            for body in (
                getattr(block, "body", None),
                getattr(block, "orelse", None),
                getattr(block, "finalbody", None),
            )
            if isinstance(body, list)
        )

    def inside_no_grad(self, node: ast.stmt, text: str | None = None, *more: str) -> str:
        """With a statement under ``with torch.no_grad():``."""
        texts = [text or self.words(node), *more]
        start = self.source.span(node)
        if self.lines[start.line - 1][: start.column].strip(" ;") and not self.lines[start.line - 1][
            : start.column
        ].rstrip().endswith(":"):
            head = self.lines[start.line - 1][: start.column].rstrip(" ;")
            tail = self.lines[start.end_line - 1][start.end_column :].strip(" ;")
            margin = head[: len(head) - len(head.lstrip())]
            new = [head, f"{margin}with torch.no_grad(): {'; '.join(texts)}", *([margin + tail] if tail else [])]
            return "\n".join([*self.lines[: start.line - 1], *new, *self.lines[start.end_line :]])
        return self.replaced(node, "with torch.no_grad():", *(f"    {each}" for each in texts))

    def replacing(self, node: ast.stmt | ast.expr, pattern: str, by: str) -> str:
        """With something else for every match of a pattern in a node's source."""
        new = re.sub(pattern, by, self.words(node))
        return self.instead(self.source.span(node), new)
