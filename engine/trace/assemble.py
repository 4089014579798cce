"""From batches to a document: what the sandbox's host does when a run was killed before it could finish.

The batches come from the run's process and are only as honest as that: indexes are checked here, sizes by whoever
decodes them. Words are put on afterwards by `engine.trace.explain`.
"""

from __future__ import annotations

from typing import Any

from engine.trace.document import Node, Outcome, Scope, Tensor, Trace
from engine.trace.encodable import encodable
from engine.trace.events import Ended, Step
from engine.trace.outcome.ending import limit_outcome
from engine.trace.parts import Span
from engine.trace.tape import Batch

SPENT = ("wall", "cpu", "memory")
"""Limits that end a run which does nothing wrong."""


class Assembler:
    """Collects batches in order; `finish` makes the trace."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.steps: list[Step] = []
        self.scopes: list[Scope] = []
        self.tensors: list[Tensor] = []
        self.nodes: list[Node] = []
        self.output: list[str] = []
        self.folded = 0
        self.line = 0
        self.outcome: Outcome | None = None

    def feed(self, batch: Batch) -> None:
        """Adds one batch.

        Raises:
            ValueError: a row that does not follow the last one, which an honest run never sends.
        """
        self.steps += batch.steps
        self.scopes += batch.scopes
        _merge(self.tensors, batch.tensors, "tensor")
        _merge(self.nodes, batch.nodes, "node")
        self.output.append(batch.output)
        self.folded = batch.folded
        self.line = batch.line
        self.outcome = batch.outcome

    def finish(self, limit: str) -> Trace:
        """The trace of a run that was stopped by ``limit``.

        One that was only too slow after its program had ended, playing it again or putting words on it, ended as it did.
        """
        lines = self.code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        span = None
        if 1 <= self.line <= len(lines):
            text = lines[self.line - 1]
            span = Span(self.line, len(text) - len(text.lstrip()), self.line, len(text))
        return document(
            self.code,
            self.outcome if self.outcome is not None and limit in SPENT else limit_outcome(limit, span),
            "".join(self.output),
            self.scopes or [Scope("program", "the snippet")],
            self.nodes,
            self.tensors,
            self.steps,
            self.folded,
        )


def document(
    code: str,
    outcome: Outcome,
    output: str,
    scopes: list[Scope],
    nodes: list[Node],
    tensors: list[Tensor],
    steps: list[Step],
    folded: int,
) -> Trace:
    """A trace without words, its last step in place."""
    steps = [*steps, Ended(span=outcome.span, status=outcome.status)]
    return Trace(encodable(code), outcome, output, scopes, [], nodes, tensors, steps, folded=folded)


def _merge(rows: list[Any], changed: dict[int, Any], kind: str) -> None:
    for index in sorted(changed):
        if index == len(rows):
            rows.append(changed[index])
        elif 0 <= index < len(rows):
            rows[index] = changed[index]
        else:
            raise ValueError(f"{kind} {index} was sent before {kind} {len(rows)}")
