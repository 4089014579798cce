"""The boundary: bytes that a run sent become a trace that is safe to keep and to show, or are refused.

A run shares its process with the recorder and may send anything; nothing can tell a forged trace from an honest one,
and a forged one deceives only the person who forged it. So what is checked is that it is a trace: the declared types
(unknown fields forbidden), every id inside its table, shapes that agree with the data, and no more of anything than
the limits say. Control characters become U+FFFD, one for one, so that columns still count.
"""

from __future__ import annotations

import functools
import math
import re
import typing
from typing import Any, Literal

import msgspec

from engine.sandbox.limits import Limits
from engine.trace.document import SCHEMA, Trace
from engine.trace.events import Ended, MessageSent
from engine.trace.parts import Claim, Formula, Span, Value

Table = Literal["tensors", "nodes", "scopes", "steps"]

REFERENCES: dict[str, Table] = {
    **dict.fromkeys(
        (
            "base", "gradient_of", "gradients", "inputs", "leaf", "missed", "outputs", "parameters", "previous", "reached",
            "result", "roots", "shared_with", "source", "tensor", "tensors", "total", "whole",
        ),
        "tensors",
    ),
    **dict.fromkeys(("accumulator", "grad_fn", "node", "to"), "nodes"),
    **dict.fromkeys(("parent", "scope"), "scopes"),
    **dict.fromkeys(("first", "last", "step"), "steps"),
}  # fmt: skip
"""Which table a field of this name points into, in every struct that has it."""

NUMBERS = frozenset(
    {
        "after", "arrived", "before", "best", "beyond", "call", "column", "count", "data", "dims", "elements", "end_column", "end_line",
        "expected", "factor", "folded", "high", "input_nr", "limit", "line", "low", "metric", "nan", "nonfinite", "norm",
        "norm_type", "number", "order", "output_nr", "passes", "schema", "sentence", "sequence_nr", "settings", "shape", "size", "slot",
        "statements", "thumbnail", "times", "unimproved", "version", "version_after", "version_before",
    }
)  # fmt: skip
"""Fields that hold integers and point nowhere. A test demands that every field is in one of the two lists."""

_SPELLED_NUMBERS = frozenset({"nan", "inf", "-inf"})
_PART = r"(?:\d+(?:\.\d+)?(?:e-?\d+)?|nan|inf)"
_COMPLEX = re.compile(rf"-?{_PART}[+-]{_PART}j")
"""As `engine.trace.values.spelled` writes a complex number."""
_THUMBNAIL_CELLS = 16
"""Most cells of a thumbnail in each direction, as `engine.trace.values` makes them."""
_CONTROL = re.compile(
    rb"\\\\"  # an escaped backslash: what follows it is plain text
    rb"|\\u00(?:0[0-9a-f]|1[0-9a-f])|\\b"  # C0 as JSON escapes; \t \n \f \r have short escapes and stay
    rb"|\x7f|\xc2[\x80-\x9f]"  # DEL and C1
    rb"|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]"  # marks that turn the direction of text around
)
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}".encode()
_LINE_END = re.compile(r"\r\n|\r|\n")
_decoder = msgspec.json.Decoder(Trace)


class Forged(ValueError):
    """Bytes that are no trace of this run; the message says which rule they break and where."""


def check(content: bytes, code: str, limits: Limits) -> Trace:
    """Decodes and verifies the document of a run of ``code``. Raises Forged."""
    try:
        trace = _decoder.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Forged(f"not a trace document: {str(error)[:200]}") from None
    verify(trace, code, limits)
    return trace


def checked(content: bytes, code: str, limits: Limits) -> tuple[Trace, bytes]:
    """`check` and `encode` in one go: what was verified is what is forwarded, whatever the bytes looked like."""
    trace = check(content, code, limits)
    return trace, encode(trace)


def encode(trace: Trace) -> bytes:
    """The document as it is kept and forwarded: compact JSON without control characters."""
    return clean(msgspec.json.encode(trace))


def clean(document: bytes) -> bytes:
    """Replaces control characters inside the strings of a JSON document that msgspec wrote."""
    return _CONTROL.sub(lambda match: match[0] if match[0] == rb"\\" else _REPLACEMENT, document)


def verify(trace: Trace, code: str, limits: Limits) -> None:
    """Checks what types cannot say. Raises Forged."""
    if trace.code != code:
        raise Forged("the document is about another snippet")
    if trace.schema != SCHEMA:
        raise Forged(f"schema {trace.schema}; this is {SCHEMA}")
    if len(trace.steps) > limits.steps:
        raise Forged(f"{len(trace.steps)} steps; at most {limits.steps}")
    for table in ("nodes", "tensors", "scopes", "chapters", "questions", "reasons"):
        if (rows := len(getattr(trace, table))) > limits.rows:
            raise Forged(f"{rows} {table}; at most {limits.rows}")
    if not trace.scopes or trace.scopes[0].kind != "program":
        raise Forged("scope 0 must be the program")
    end = trace.steps[-1] if trace.steps else None
    if not isinstance(end, Ended) or end.status != trace.outcome.status:
        raise Forged(f"the last step must be the end, with outcome {trace.outcome.status}")
    _Verifier(trace, limits).visit(trace)


class _Verifier:
    """Walks one document."""

    def __init__(self, trace: Trace, limits: Limits) -> None:
        self.trace = trace
        self.limits = limits
        self.sizes = {table: len(getattr(trace, table)) for table in ("tensors", "nodes", "scopes", "steps")}
        lines = _LINE_END.split(trace.code)
        self.lines = len(lines) + 1
        """One more than there are: Python reports an unfinished statement behind the last line."""
        self.width = max(map(len, lines)) + 1

    def visit(self, item: msgspec.Struct, depth: int = 0) -> None:
        kind = type(item)
        if kind is Span:
            self.span(typing.cast(Span, item))
            return
        for name in _plan(kind):
            value = getattr(item, name)
            if value is not None:
                self.field(kind, name, value, depth)
        if kind is Value:
            self.value(typing.cast(Value, item))
        elif kind is Claim:
            self.spelled([typing.cast(Claim, item).number])
        elif kind is MessageSent:
            self.message(typing.cast(MessageSent, item))

    def field(self, owner: type, name: str, value: Any, depth: int) -> None:
        kind = type(value)
        if kind is str:
            if len(value) > self.limits.string_characters:
                raise Forged(
                    f"{owner.__name__}.{name} has {len(value)} characters; at most {self.limits.string_characters}"
                )
        elif kind is int:
            if name in REFERENCES and not 0 <= value < self.sizes[REFERENCES[name]]:
                raise Forged(
                    f"{owner.__name__}.{name} is {value}; there are {self.sizes[REFERENCES[name]]} {REFERENCES[name]}"
                )
        elif kind is list or kind is tuple:
            for element in value:
                if element is not None:
                    self.field(owner, name, element, depth)
        elif isinstance(value, msgspec.Struct):
            if kind is Formula and depth > self.limits.formula_depth:
                raise Forged(f"a formula nested deeper than {self.limits.formula_depth} levels")
            self.visit(value, depth + 1)

    def span(self, span: Span) -> None:
        lines, columns = (span.line, span.end_line), (span.column, span.end_column)
        if not (1 <= span.line <= span.end_line <= self.lines and min(columns) >= 0 and max(columns) <= self.width):
            raise Forged(f"lines {lines}, columns {columns} are outside the snippet of {self.lines - 1} lines")

    def value(self, value: Value) -> None:
        if any(length < 0 for length in value.shape):
            raise Forged(f"a shape with a negative length: {value.shape[:8]}")
        if value.data is not None:
            if len(value.data) > self.limits.elements or len(value.data) != math.prod(value.shape):
                raise Forged(f"{len(value.data)} elements for shape {value.shape[:8]}; at most {self.limits.elements}")
            self.spelled(value.data)
        if value.thumbnail is not None:
            if max(len(value.thumbnail), *map(len, value.thumbnail), 0) > _THUMBNAIL_CELLS:
                raise Forged(f"a thumbnail larger than {_THUMBNAIL_CELLS} × {_THUMBNAIL_CELLS}")
            for row in value.thumbnail:
                self.spelled(row)
        self.spelled([value.low, value.high])

    def spelled(self, numbers: list[Any]) -> None:
        for number in numbers:
            if type(number) is str and number not in _SPELLED_NUMBERS and not _COMPLEX.fullmatch(number):
                raise Forged(
                    f"{number[:20]!r} is no number; spelled are {sorted(_SPELLED_NUMBERS)} and complex ones, as 1.5-2j"
                )

    def message(self, message: MessageSent) -> None:
        edges = len(self.trace.nodes[message.node].edges)
        if not 0 <= message.slot < edges:
            raise Forged(f"slot {message.slot} of node {message.node}, which has {edges} edges")


@functools.cache
def _plan(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields of a struct that have something to check: references, text, and structs."""
    hints = typing.get_type_hints(kind)
    return tuple(name for name in kind.__struct_fields__ if name in REFERENCES or _deserves_a_look(hints[name]))


def _deserves_a_look(hint: Any) -> bool:
    """Whether a field of this type can hold text or structs; numbers, spelled ones included, cannot."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is Literal or float in arguments:
        return False
    if arguments:
        return any(map(_deserves_a_look, arguments))
    return hint is str or (isinstance(hint, type) and issubclass(hint, msgspec.Struct))
